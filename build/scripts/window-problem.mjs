import path from 'node:path';

/** What Electron and Chromium print when they cannot start, what it means, and the command that mends it. */
const KNOWN = [
  {
    text: /SUID sandbox helper binary was found, but is not configured|No usable sandbox|Failed to move to new namespace/i,
    reason: "Chromium's sandbox is not allowed on this system (Ubuntu 24.04 and others restrict it)",
    mend: ({ program }) => {
      const helper = path.join(path.dirname(program), 'chrome-sandbox');
      return `sudo chown root:root '${helper}' && sudo chmod 4755 '${helper}'`;
    },
  },
  {
    text: /running as root without --no-sandbox/i,
    reason: 'it does not run as root',
    mend: () => 'npm start, as another user',
  },
  {
    text: /loading shared libraries: (\S+): cannot open/i,
    reason: 'a library of the system is missing',
    mend: () =>
      'sudo apt-get install libgtk-3-0 libnss3 libgbm1 libasound2t64 (Debian 12, Ubuntu 22.04: libasound2), then npm start',
  },
  {
    text: /GLIBC_[\d.]+' not found|symbol not found|cannot execute|exec format error|spawn .*(ENOENT|EACCES)/i,
    reason: 'Electron does not run on this system',
    mend: () => 'npm start -- --browser',
  },
  {
    text: /missing X server|unable to open X display|cannot open display|failed to connect to wayland|Authorization required/i,
    reason: 'the screen cannot be opened',
    mend: () => 'npm start, in a terminal of the desktop',
  },
  {
    text: /GPU process (isn't usable|launch failed|exited unexpectedly)|gpu_process_host|libGL|vulkan/i,
    reason: 'the graphics driver failed',
    mend: () => 'npm start -- --disable-gpu',
  },
];

/**
 * Why the window did not come up: the reason, and the command that mends it. `errors` is what Electron printed; `end` says
 * how it ended.
 */
export function windowProblem({ errors, end, program }) {
  const known = KNOWN.find(({ text }) => text.test(errors));
  const library = /loading shared libraries: (\S+?):/.exec(errors)?.[1];
  const reason = known ? `${known.reason}${library ? `: ${library}` : ''}` : end;
  const mend = known ? known.mend({ program }) : 'npm start -- --disable-gpu, or npm start -- --browser';
  return `the desktop window did not open: ${reason} (to have it: ${mend})`;
}
