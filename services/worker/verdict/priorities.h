// Where several things are found, the lowest priority names the cause: faults of devices and drivers, of the host, of
// the environment, fatal signals, assertions and exceptions, memory, precision, then what only says that something went
// wrong, and victims last. Signatures of packs use the same scale (rules/packs/common/signatures.json).
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_PRIORITIES_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_PRIORITIES_H_

namespace yardmaster::worker {

inline constexpr int kDeviceBad = 99;         // a probe says so; what a log says of it stands before
inline constexpr int kFirstHostFault = 100;   // below: devices and drivers
inline constexpr int kDiskFull = 100;         // seen by the worker itself
inline constexpr int kHostOutOfMemory = 120;  // the kernel killed outside of the step's own group
inline constexpr int kNotStartable = 200;     // below: what no software on this host can fix
inline constexpr int kPackageVersions = 237;
inline constexpr int kRecipeSymptom = 250;
inline constexpr int kFatalSignal = 300;
inline constexpr int kSanitizer = 310;         // what it found, before it ended the program
inline constexpr int kKilled = 320;            // by a signal that others send, before anything else went wrong
inline constexpr int kFirstKernelFault = 405;  // up to kAfterKernelFault: a kernel did what it may not
inline constexpr int kAfterKernelFault = 415;
inline constexpr int kMissingProgram = 430;
inline constexpr int kCompileError = 440;
inline constexpr int kFailedAssertion = 445;
inline constexpr int kFailedTest = 450;
inline constexpr int kException = 455;
inline constexpr int kOutOfMemory = 500;
inline constexpr int kFirstPrecision = 600;
inline constexpr int kPrecision = 600;
inline constexpr int kNotComparable = 620;
inline constexpr int kMixedSkip = 640;
inline constexpr int kAfterPrecision = 690;
inline constexpr int kNoTests = 690;
inline constexpr int kFirstWrapper = 695;  // up to kExitCode: texts that say that a call failed, and not why
inline constexpr int kExitCode = 700;
inline constexpr int kLauncher = 710;
inline constexpr int kNoEvidence = 720;
inline constexpr int kNoReport = 730;
inline constexpr int kHang = 745;
inline constexpr int kStopped = 750;      // killed by a signal that others send, after something else went wrong
inline constexpr int kGotOver = 760;      // an exception after which the program went on for long
inline constexpr int kConsequence = 770;  // after another rank had died
inline constexpr int kLauncherSays = 790;
// 792: the network between hosts, where no rank ended before (rules/packs/common/signatures.json). From 800 on:
// victims.
inline constexpr int kStoppedLast = 899;  // stopped when the others had given up waiting
inline constexpr int kFirstEcho = 900;    // from here on no cause: that something failed, in other words
inline constexpr int kFirstAdvice = 950;  // what is said after a failure to find out more

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_PRIORITIES_H_
