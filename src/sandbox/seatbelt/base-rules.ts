/**
 * What every command gets, whatever the policy: enough of the system to start and to ask harmless questions.
 * Everything else is denied by default. Left out on purpose are hard links (another name for a protected file), Apple
 * events, LaunchServices (both start programs outside of the sandbox), the keychain, the pasteboard and the window server.
 */

const PROCESSES = [
  '(version 1)',
  '(deny default)',
  '; Processes: its own only',
  '(allow process-exec process-fork)',
  '(allow signal (target same-sandbox))',
  '(allow process-info* (target same-sandbox))',
  '(allow ipc-posix-sem)',
];

// By name, because `kern.procargs2` tells the arguments and the environment of every process of the same user.
const SYSTEM_FACTS = [
  '; Facts about the machine',
  '(allow sysctl-read',
  ...[
    'hw.activecpu',
    'hw.byteorder',
    'hw.cacheconfig',
    'hw.cachelinesize',
    'hw.cachelinesize_compat',
    'hw.cachesize',
    'hw.cpufamily',
    'hw.cpufrequency',
    'hw.cpufrequency_compat',
    'hw.cpusubfamily',
    'hw.cpusubtype',
    'hw.cputype',
    'hw.l1dcachesize',
    'hw.l1icachesize',
    'hw.l2cachesize',
    'hw.l3cachesize',
    'hw.logicalcpu',
    'hw.logicalcpu_max',
    'hw.machine',
    'hw.memsize',
    'hw.model',
    'hw.ncpu',
    'hw.nperflevels',
    'hw.packages',
    'hw.pagesize',
    'hw.pagesize_compat',
    'hw.physicalcpu',
    'hw.physicalcpu_max',
    'hw.tbfrequency',
    'hw.vectorunit',
    'kern.argmax',
    'kern.hostname',
    'kern.iossupportversion',
    'kern.maxfiles',
    'kern.maxfilesperproc',
    'kern.maxproc',
    'kern.ngroups',
    'kern.osproductversion',
    'kern.osrelease',
    'kern.ostype',
    'kern.osvariant_status',
    'kern.osversion',
    'kern.secure_kernel',
    'kern.tcsm_available',
    'kern.tcsm_enable',
    'kern.usrstack64',
    'kern.version',
    'machdep.cpu.brand_string',
    'machdep.cpu.core_count',
    'machdep.cpu.thread_count',
    'machdep.ptrauth_enabled',
    'security.mac.lockdown_mode_state',
    'sysctl.proc_cputype',
    'vm.loadavg',
    'vm.pagesize',
  ].map((name) => `  (sysctl-name "${name}")`),
  '  (sysctl-name-prefix "hw.optional.")',
  '  (sysctl-name-prefix "hw.perflevel"))',
];

const SERVICES = [
  '; Users and groups, the folder for temporary files, news of the clock, settings to read',
  '(allow mach-lookup',
  '  (global-name "com.apple.system.opendirectoryd.libinfo")',
  '  (global-name "com.apple.system.opendirectoryd.membership")',
  '  (global-name "com.apple.bsd.dirhelper")',
  '  (global-name "com.apple.system.notification_center")',
  '  (global-name "com.apple.cfprefsd.daemon")',
  '  (global-name "com.apple.cfprefsd.agent"))',
  '(allow ipc-posix-shm-read*',
  '  (ipc-posix-name "apple.shm.notification_center")',
  '  (ipc-posix-name-prefix "apple.cfprefs."))',
  '(allow user-preference-read)',
];

// A terminal that was made inside carries the extension; of one that was handed in, only the settings can be asked and set.
const DEVICES = [
  '; Devices and terminals',
  '(allow file-write-data file-ioctl',
  '  (literal "/dev/null")',
  '  (literal "/dev/zero")',
  '  (literal "/dev/tty")',
  '  (literal "/dev/ptmx"))',
  '(allow file-read-data file-ioctl (literal "/dev/random") (literal "/dev/urandom") (literal "/dev/dtracehelper"))',
  '(allow pseudo-tty)',
  '(allow file-write* (require-all (regex #"^/dev/ttys[0-9]+$") (extension "com.apple.sandbox.pty")))',
  '(allow file-ioctl (regex #"^/dev/ttys[0-9]+$"))',
];

export const BASE_RULES: readonly string[] = [...PROCESSES, ...SYSTEM_FACTS, ...SERVICES, ...DEVICES];
