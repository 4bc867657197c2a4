import path from 'node:path';

interface ToolFacts {
  platform: NodeJS.Platform;
  /** Home folder of this user. */
  home: string;
  /** The bundled Node and the command line's entry file. */
  runtime: string;
  entry: string;
  /** `PATH` of this process. */
  searchPath: string;
  /** Path of the AppImage; undefined for other packages. */
  appImage: string | undefined;
}

/** A file that starts the command line of this installation. */
export interface ToolLauncher {
  file: string;
  text: string;
  /** What the person has to do so that the folder is on the PATH, in one sentence; undefined when it already is. */
  hint: string | undefined;
}

/** Part of every launcher. A file without this mark belongs to another program and is not replaced. */
export const LAUNCHER_MARK = 'Written by the Homeport app';

/** Undefined for an AppImage, whose files have another path at each start. */
export function toolLauncher(facts: ToolFacts): ToolLauncher | undefined {
  const { appImage, entry, home, platform, runtime, searchPath } = facts;
  if (appImage !== undefined) return undefined;
  const isWindows = platform === 'win32';
  const { delimiter, join } = isWindows ? path.win32 : path.posix;
  const folder = isWindows ? join(home, 'AppData', 'Local', 'Homeport', 'bin') : join(home, '.local', 'bin');
  const isOnPath = searchPath.split(delimiter).some((one) => one.replace(/(?<![\\/])[\\/]+$/, '') === folder);
  return {
    file: join(folder, isWindows ? 'homeport.cmd' : 'homeport'),
    text: isWindows
      ? `@rem ${LAUNCHER_MARK}\r\n@"${runtime}" "${entry}" %*\r\n`
      : `#!/bin/sh\n# ${LAUNCHER_MARK}\nexec ${quote(runtime)} ${quote(entry)} "$@"\n`,
    hint: isOnPath ? undefined : `Add ${folder} to your PATH, then open a new terminal.`,
  };
}

function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** What a person starts on Linux: the AppImage, or the launcher beside the window's program (`homeport-desktop.bin`). */
export function startedProgram(appImage: string | undefined, program: string): string {
  return appImage ?? program.replace(/\.bin$/, '');
}

/** The autostart entry of a Linux desktop, which starts the app hidden at login. */
export function autostartEntry(program: string): string {
  const quoted = `"${program.replace(/(["`$\\])/g, '\\$1').replaceAll('%', '%%')}"`;
  return ['[Desktop Entry]', 'Type=Application', 'Name=Homeport', `Exec=${quoted} --hidden`, 'Terminal=false', ''].join(
    '\n',
  );
}
