#!/usr/bin/env perl
# What became of the issues that quickstart.sh opened: for each the delivery, the decision and what the forge holds,
# then a table. Reads the JSON files that quickstart.sh put into STATE/results; perl, because git needs it anyway.
#
#   report.pl STATE COUNT              prints all, writes STATE/outcomes.tsv; exit 1 if an outcome is not what was decided
#   report.pl --subject STATE NUMBER   prints FORGE:OWNER/REPO#N of one issue
#   report.pl --pull STATE REPOSITORY NUMBER opened|fixed|tested
#                                      prints what the forge shows of a pull request; exit 1 if it is not what it should be
use strict;
use warnings;
use utf8;
use JSON::PP;

binmode STDOUT, ':encoding(UTF-8)';
binmode STDERR, ':encoding(UTF-8)';

sub load {
  my ($file) = @_;
  open my $in, '<:raw', $file or die "report: $file: $!\n";
  local $/;
  my $text = <$in>;
  return length($text // '') ? decode_json($text) : undef;
}

sub subject_of {
  my ($state, $i) = @_;
  my $issue = load("$state/issues/$i.json");
  my $number = load("$state/issues/$i.opened")->{number};
  return ($issue, $number, "$issue->{forge}:$issue->{repository}#$number");
}

if (@ARGV == 3 && $ARGV[0] eq '--subject') {
  my (undef, undef, $subject) = subject_of($ARGV[1], $ARGV[2]);
  print "$subject\n";
  exit 0;
}

# On a terminal a Chinese character is two columns wide.
sub width {
  my ($text) = @_;
  my $wide = () = $text =~ /[\x{1100}-\x{115f}\x{2e80}-\x{a4cf}\x{ac00}-\x{d7a3}\x{f900}-\x{faff}\x{fe30}-\x{fe6f}\x{ff00}-\x{ff60}\x{ffe0}-\x{ffe6}]/g;
  return length($text) + $wide;
}

sub cut {
  my ($text, $columns) = @_;
  $text =~ s/\s+/ /g;
  # Texts of strangers go to a terminal here.
  $text =~ s/[\x00-\x1f\x7f-\x9f\x{200b}-\x{200f}\x{202a}-\x{202e}\x{2066}-\x{2069}]/?/g;
  return $text if width($text) <= $columns;
  chop $text while width($text) > $columns - 1;
  return "$text…";
}

sub pad {
  my ($text, $columns) = @_;
  return $text . ' ' x ($columns > width($text) ? $columns - width($text) : 0);
}

sub list { return @_ ? join(', ', @_) : 'none' }

sub entry {
  my ($name, @lines) = @_;
  for my $line (@lines) {
    printf "  %-9s %s\n", $name, $line;
    $name = '';
  }
}

if (@ARGV == 5 && $ARGV[0] eq '--pull') {
  my (undef, $state, $repository, $number, $when) = @ARGV;
  my $side = load("$state/results/forge-state.json")->{github}{$repository};
  my ($pull) = grep { $_->{pull} && $_->{number} == $number } @{$side->{subjects}};
  my @statuses = grep { $_->{head} eq $pull->{head_sha} && $_->{context} eq 'yardmaster/review' } @{$side->{statuses}};
  if ($when eq 'tested') {
    my @tests = grep { $_->{head} eq $pull->{head_sha} && $_->{context} =~ m{^yardmaster/test/} } @{$side->{statuses}};
    my ($answer) = grep { $_->{body} =~ /template=command-/ } reverse @{$pull->{comments}};
    entry('comment', map { cut($_, 110) } grep { /\S/ && !/^<!--/ } split /\n/, $answer->{body}) if $answer;
    entry('check', "$_->{context}: $_->{state}, " . ($_->{description} // '')) for @tests;
    my $right = @tests && $tests[-1]{state} eq 'success';
    print "  The test of the pull request is not what it should be.\n" unless $right;
    exit($right ? 0 : 1);
  }
  my @summaries = grep { $_->{body} =~ /template=review / } @{$pull->{comments}};
  my $status = $statuses[-1] // {};
  entry('head', "github:$repository#$number at " . substr($pull->{head_sha}, 0, 12));
  entry('check', "yardmaster/review: " . ($status->{state} // 'none') . ', ' . ($status->{description} // ''));
  for my $inline (@{$pull->{review_comments}}) {
    entry($inline->{in_reply_to} ? '  answer' : 'at line', cut(($inline->{in_reply_to} ? '' : "$inline->{path}:$inline->{line}  ") . $inline->{body}, 110));
  }
  entry('comment', @summaries ? map { cut($_, 110) } grep { /\S/ } (split /\n/, $summaries[0]{body})[0 .. 5] : 'none');
  entry('', "edited $summaries[0]{edits} times") if @summaries && $summaries[0]{edits};
  my $right = $when eq 'opened'
    ? ($status->{state} // '') eq 'failure' && @{$pull->{review_comments}} > 0
    : ($status->{state} // '') eq 'success' && @summaries && $summaries[0]{body} =~ /\b0 new\b/;
  print "  The review is not what it should be.\n" unless $right && @summaries == 1;
  exit($right && @summaries == 1 ? 0 : 1);
}
die "usage: report.pl STATE COUNT\n" unless @ARGV == 2;
my ($state, $count) = @ARGV;
my $forge_state = load("$state/results/forge-state.json");
my $forge_deliveries = load("$state/results/forge-deliveries.json");
my @wrong;
my @rows;

for my $i (1 .. $count) {
  my ($issue, $number, $subject) = subject_of($state, $i);
  my $decision = load("$state/results/$i-decision.json");
  my $deliveries = load("$state/results/$i-deliveries.json")->{deliveries};
  my $effects = load("$state/results/$i-ledger.json")->{effects};
  my ($held) = grep { $_->{number} == $number && !$_->{pull} }
    @{$forge_state->{$issue->{forge}}{$issue->{repository}}{subjects}};
  my @problems;

  printf "\n----- %d of %d: %s\n%s  %s\n", $i, $count, $issue->{shows}, $subject, cut($issue->{title}, 100);

  # What came in: the delivery that was worked on, and how many others there were (our own writes, and faults).
  my ($done) = grep { $_->{state} eq 'done' } reverse @$deliveries;
  if ($done) {
    my %ignored;
    $ignored{(split /:/, $_->{reason} // '')[0] || $_->{state}}++ for grep { $_ != $done } @$deliveries;
    my ($answer) = map { $_->{status} } grep { $_->{guid} eq $done->{delivery_id} && $_->{status} } @$forge_deliveries;
    entry('delivery', "$done->{delivery_id}  $done->{event}"
        . (length($done->{action} // '') ? " $done->{action}" : '') . "  "
        . ($answer ? "answered with $answer, " : '') . $done->{state}
        . ($done->{attempts} > 1 ? " after $done->{attempts} attempts" : ''));
    entry('', 'ignored: ' . join(', ', map { "$ignored{$_} $_" } sort keys %ignored)) if %ignored;
  } else {
    entry('delivery', map { "$_->{delivery_id}  $_->{event}  $_->{state}: " . ($_->{reason} // '') } @$deliveries);
    push @problems, 'no delivery is done';
  }

  # What was decided, and why.
  my (@applied, $template);
  if ($decision && $decision->{id}) {
    @applied = @{$decision->{applied}};
    $template = $decision->{comment} ? $decision->{comment}{template} : undef;
    entry('decision', "$decision->{id}  pack $decision->{pack} @ " . substr($decision->{pack_revision}, 0, 12)
        . "  $decision->{mode}");
    entry('steps', map { cut("$_->{id}: $_->{why}", 110) } grep { $_->{taken} } @{$decision->{steps}});
    my %applied = map { $_ => 1 } @applied;
    my @why;
    for my $part (@{$decision->{explanation}}) {
      next unless $applied{$part->{label}};
      my @rules = sort { $b->{score} <=> $a->{score} } @{$part->{rules}};
      my @evidence = map {
        sprintf('%+g %s%s (%s)', $_->{score}, $_->{zone}, length($_->{text} // '') ? ' “' . cut($_->{text}, 30) . '”' : '', $_->{id})
      } @rules[0 .. ($#rules < 1 ? $#rules : 1)];
      push @evidence, sprintf('and %d more', @rules - 2) if @rules > 2;
      my $confidence = $decision->{confidence}{$part->{label}};
      push @why, $part->{label} . ($confidence ? " $confidence" : '') . ': ' . list(@evidence);
    }
    entry('why', @why) if @why;
  } else {
    entry('decision', 'none');
    push @problems, 'there is no decision';
  }

  # What the forge holds now.
  my @before = @{$issue->{labels}};
  my %was = map { $_ => 1 } @before;
  my @after = @{$held->{labels}};
  my @added = grep { !$was{$_} } @after;
  my @comments = @{$held->{comments}};
  entry('labels', list(@before) . ' → ' . list(@after));
  my @templates;
  for my $comment (@comments) {
    my ($posted) = $comment->{body} =~ /<!-- yardmaster [^>]*\btemplate=(\S+)/;
    push @templates, $posted // '?';
    my $text = $comment->{body};
    $text =~ s/<!--.*?-->//gs;
    entry('comment', "by $comment->{user}, template " . ($posted // 'unknown'), cut($text, 110));
  }
  entry('comment', 'none') unless @comments;
  entry('ledger', map {
    "#$_->{id} $_->{kind} $_->{state}" . ($_->{attempts} > 1 ? " after $_->{attempts} attempts" : '')
  } reverse @$effects) if @$effects;

  # Does it hold together?
  push @problems, 'the labels that were added are not those that were decided'
    if join("\n", sort @added) ne join("\n", sort @applied);
  push @problems, 'a label is gone' if grep { my $label = $_; !grep { $_ eq $label } @after } @before;
  push @problems, 'a label was put on twice' if grep { $held->{added}{$_} && $held->{added}{$_} > 1 } @after;
  push @problems, 'the comments are not those that were decided' if list(@templates) ne list($template // ());
  push @problems, map { "effect $_->{id} is $_->{state}" } grep { $_->{state} ne 'confirmed' } @$effects;
  entry('WRONG', @problems) if @problems;
  push @wrong, map { "$subject: $_" } @problems;

  push @rows, [$subject, $issue->{shows}, $done ? $done->{state} : '-', list(@added), list(@templates), $held->{title}];
}

# The table, for people and for programs.
print "\n== What became of them\n\n";
my @head = ('issue', 'delivery', 'labels added', 'comment');
my @table = map { [$_->[0], $_->[2], $_->[3], $_->[4]] } @rows;
my @columns = map { my $k = $_; my $most = 0; for (\@head, @table) { my $w = width($_->[$k]); $most = $w if $w > $most; } $most } 0 .. 3;
for my $row (\@head, @table) {
  my $line = '  ' . join('  ', map { pad($row->[$_], $columns[$_]) } 0 .. 3);
  $line =~ s/ +$//;
  print "$line\n";
}
open my $out, '>:encoding(UTF-8)', "$state/outcomes.tsv" or die "report: $state/outcomes.tsv: $!\n";
print $out join("\t", @$_[0, 2, 3, 4]), "\n" for @rows;
close $out or die "report: $state/outcomes.tsv: $!\n";

# The whole forge: calls that it does not offer, webhooks that found nobody.
my @calls = @{load("$state/results/forge-calls.json")};
push @wrong, map { "a call that triage does not need: $_->{method} $_->{target}" } grep { !$_->{expected} } @calls;
my %arrived = map { $_->{guid} => 1 } grep { $_->{status} >= 200 && $_->{status} < 300 } @$forge_deliveries;
my %guids = map { $_->{guid} => 1 } @$forge_deliveries;
printf "\n  %d webhooks were sent %d times, %d arrived.\n", scalar(keys %guids), scalar(@$forge_deliveries), scalar(keys %arrived);
my %faults;
$faults{$_->{fault}}++ for grep { length $_->{fault} } @calls;
printf "  %d calls to the forges' interfaces%s.\n", scalar(@calls),
  %faults ? ', of which went wrong on purpose: ' . join(', ', map { "$faults{$_} $_" } sort keys %faults) : ', none went wrong';
push @wrong, 'webhooks did not arrive' if keys %arrived < keys %guids;

if (@wrong) {
  print STDERR "\nquickstart: not as decided (logs: $state/*.log):\n";
  print STDERR "  $_\n" for @wrong;
  exit 1;
}
