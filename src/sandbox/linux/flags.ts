/** Numbers of the kernel's interface that the sandbox programs use; the same on every architecture. */

export const AT_FDCWD = -100;
export const AT_EMPTY_PATH = 0x1000;
export const AT_RECURSIVE = 0x8000;

/** `O_PATH` and `O_CLOEXEC` together: a name for a place, and nothing that can be read or written. */
export const O_PATH = 0o12000000;
export const O_WRONLY_CLOEXEC = 0o2000001;
/** The one flag that differs between architectures. */
export const O_NOFOLLOW = { x64: 0o400000, arm64: 0o100000 } as const;

export const CLONE_NEWNS = 0x00020000;
export const CLONE_NEWIPC = 0x08000000;
export const CLONE_NEWUSER = 0x10000000;
export const CLONE_NEWPID = 0x20000000;
export const CLONE_NEWNET = 0x40000000;

export const MS_RDONLY = 1;
export const MS_NOSUID = 2;
export const MS_NODEV = 4;
export const MS_NOEXEC = 8;
export const MS_PRIVATE_RECURSIVE = 0x40000 | 0x4000;

export const MOUNT_ATTR_RDONLY = 1;
export const MOUNT_ATTR_NOSUID = 2;
export const MOUNT_ATTR_NODEV = 4;

export const OPEN_TREE_CLONE = 1;
export const MOVE_MOUNT_FROM_EMPTY_PATH = 4;
export const MOVE_MOUNT_TO_EMPTY_PATH = 0x40;

export const RESOLVE_NO_MAGICLINKS = 2;
export const RESOLVE_NO_SYMLINKS = 4;

export const PR_SET_PDEATHSIG = 1;
export const PR_CAPBSET_DROP = 24;
export const PR_SET_CHILD_SUBREAPER = 36;
export const PR_SET_NO_NEW_PRIVS = 38;
export const PR_CAP_AMBIENT = 47;
export const PR_CAP_AMBIENT_CLEAR_ALL = 4;
export const CAPABILITIES = 64;
export const CAPABILITY_VERSION_3 = 0x20080522;

export const SECCOMP_SET_MODE_FILTER = 1;
export const SECCOMP_FILTER_FLAG_NEW_LISTENER = 8;

export const CLOSE_RANGE_CLOEXEC = 4;
export const ALL_DESCRIPTORS = 0xffffffff;

export const RLIMIT_CPU = 0;
export const RLIMIT_FSIZE = 1;
export const RLIMIT_CORE = 4;
export const RLIMIT_NPROC = 6;

export const SIGKILL = 9;
export const S_IFREG = 0o100000;
