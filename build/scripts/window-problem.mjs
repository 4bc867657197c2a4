import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const LIBRARY = /loading shared libraries: (\S+?):/i;

/** What Electron and Chromium print when they cannot start, what it means, and the command that mends it. */
const KNOWN = [
  {
    text: /SUID sandbox helper binary was found, but is not configured|No usable sandbox|Failed to move to new namespace/i,
    reason: "Chromium's sandbox is not allowed on this system (Ubuntu 24.04 and others restrict it)",
    mend: ({ command, env, program }) => {
      if (env.APPIMAGE) return `the deb or rpm package, or without a sandbox: ${command('--no-sandbox')}`;
      const helper = path.join(path.dirname(program), 'chrome-sandbox');
      return `sudo chown root:root '${helper}' && sudo chmod 4755 '${helper}'`;
    },
  },
  {
    text: /running as root without --no-sandbox/i,
    reason: 'it does not run as root',
    mend: ({ command }) => `${command()}, as another user`,
  },
  {
    text: LIBRARY,
    reason: 'a library of the system is missing',
    mend: ({ command, env }) => `${installOfLibraries(env)}, then ${command()}`,
  },
  {
    text: /GLIBC_[\d.]+' not found|symbol not found|cannot execute|exec format error|spawn .*(ENOENT|EACCES)/i,
    reason: 'Electron does not run on this system',
    mend: ({ command }) => command('--browser'),
  },
  {
    text: /missing X server|unable to open X display|cannot open display|failed to connect to wayland|Authorization required/i,
    reason: 'the screen cannot be opened',
    mend: ({ command }) => `${command()}, in a terminal of the desktop`,
  },
  {
    text: /GPU process (isn't usable|launch failed|exited unexpectedly)|gpu_process_host|libGL|vulkan/i,
    reason: 'the graphics driver failed',
    mend: ({ command }) => command('--disable-gpu'),
  },
];

/** What Chromium loads at its start, with all that it needs, by the program that installs packages. */
const INSTALLS = {
  'apt-get': 'sudo apt-get install libgtk-3-0 libnss3 libgbm1 libasound2t64 (Debian 12, Ubuntu 22.04: libasound2)',
  dnf: 'sudo dnf install gtk3 nss mesa-libgbm alsa-lib',
  zypper: 'sudo zypper install libgtk-3-0 mozilla-nss libgbm1 libasound2',
  pacman: 'sudo pacman -S gtk3 nss mesa alsa-lib',
};

/**
 * Why the window did not come up: the reason, and the command that mends it. `errors` is what Electron printed; `end` says
 * how it ended; `libraries` are missing. `command` returns what a person types to start the app, with further arguments.
 */
export function windowProblem({ errors, end, program, command, libraries = [], env = process.env }) {
  const known = KNOWN.find(({ text }) => text.test(errors));
  const names = libraries.length > 0 ? libraries : (LIBRARY.exec(errors)?.slice(1) ?? []);
  const reason = known ? [known.reason, names.join(', ')].filter(Boolean).join(': ') : end;
  const mend = known
    ? known.mend({ program, command, env })
    : `${command('--disable-gpu')}, or ${command('--browser')}`;
  return `the desktop window did not open: ${reason} (to have it: ${mend})`;
}

/** The same, with every library that is missing: the loader names only the first. */
export async function findProblem(facts) {
  return windowProblem({
    ...facts,
    libraries: LIBRARY.test(facts.errors) ? await missingLibraries(facts.program) : [],
  });
}

async function missingLibraries(program) {
  try {
    const { stdout } = await run('ldd', [program]);
    return stdout.match(/\S+(?= => not found)/g) ?? [];
  } catch (error) {
    // No ldd, or it does not understand this program: the name that the loader told is enough.
    if (error.code === undefined) throw error;
    return [];
  }
}

function installOfLibraries(env) {
  const folders = (env.PATH ?? '').split(path.delimiter);
  const installer = Object.keys(INSTALLS).find((name) => folders.some((folder) => isProgram(path.join(folder, name))));
  return INSTALLS[installer] ?? 'install GTK 3, NSS, GBM and ALSA';
}

function isProgram(file) {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch (error) {
    if (error.code === undefined) throw error;
    return false;
  }
}
