#!/usr/bin/env perl
# What was said on the chat platform that yard-fakeforge plays: reads the answer of its call "heard" on the standard
# input. perl, because git needs it anyway.
#
#   chat.pl --count          how many messages of ours there are
#   chat.pl --show N PATTERN the messages after the Nth, as people see them; exit 1 if none of them fits the pattern
#   chat.pl --button         the value of the last message's first button
use strict;
use warnings;
use utf8;
use JSON::PP;

binmode STDOUT, ':encoding(UTF-8)';

my ($what, $after, $pattern) = @ARGV;
my @messages = @{decode_json(do { local $/; <STDIN> })->{messages}};
if ($what eq '--count') {
  print scalar(@messages), "\n";
} elsif ($what eq '--button') {
  print $messages[-1]{buttons}[0] // '', "\n";
} else {
  my $found = 0;
  for my $message (@messages[$after .. $#messages]) {
    my $text = $message->{text};
    $found = 1 if $text =~ /$pattern/;
    # Slack's three escapes, and what is there only to keep names from calling people. Texts of strangers go to a
    # terminal here.
    $text =~ s/&lt;/</g;
    $text =~ s/&gt;/>/g;
    $text =~ s/&amp;/&/g;
    $text =~ s/[\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2060}-\x{2069}]//g;
    $text =~ s/[\x00-\x09\x0b-\x1f\x7f-\x9f]/?/g;
    my @lines = split /\n/, $text;
    my $shown = 0;
    for my $line (@lines) {
      next if $line =~ /^\s*$/;
      if (++$shown > 12) {
        print "    …\n";
        last;
      }
      print $shown == 1 ? '  bot: ' : '       ', $line, "\n";
    }
    print "       [ Confirm ]\n" if @{$message->{buttons}};
  }
  exit($found ? 0 : 1);
}
