/** What the shell knows of the computer that it runs on. */
export interface DesktopFacts {
  platform: NodeJS.Platform;
  env: Record<string, string | undefined>;
  /** Arguments of the app. */
  argv: readonly string[];
}

/**
 * Identity of the app for Linux desktops: app id on Wayland, WM_CLASS on X11, and the base name of the installed desktop file
 * (`desktopName` in build/config/electron-builder.yml). Portals refuse an app without such an id.
 */
export const DESKTOP_NAME = 'app.homeport.Homeport';

/** Wayland places windows itself, and asks the person about global shortcuts. */
export function isWayland({ platform, env, argv }: DesktopFacts): boolean {
  if (platform !== 'linux' || argv.includes('--ozone-platform=x11')) return false;
  return Boolean(env['WAYLAND_DISPLAY']) || env['XDG_SESSION_TYPE'] === 'wayland';
}

/** In seconds. A start within this time after the computer's is the one of the login. */
const LOGIN_SPAN_S = 120;

/**
 * Whether the app was started by this user's login to the computer, and shows no window then. macOS ignores the arguments of
 * a login item. It says that the start was one (`wasOpenedAtLogin`), but not in every version: an app that starts at login
 * and starts right after the computer was started by the login.
 */
export function startsHidden(facts: {
  platform: NodeJS.Platform;
  argv: readonly string[];
  startsAtLogin: boolean;
  wasOpenedAtLogin: boolean;
  uptimeSeconds: number;
}): boolean {
  const { argv, platform, startsAtLogin, uptimeSeconds, wasOpenedAtLogin } = facts;
  if (argv.includes('--hidden')) return true;
  if (platform !== 'darwin') return false;
  return wasOpenedAtLogin || (startsAtLogin && uptimeSeconds < LOGIN_SPAN_S);
}

/**
 * Whether macOS runs the app from a disk image, or from the random folder to which it moves an app that was not moved by a
 * person. Both are gone after the next start.
 */
export function isOnDiskImage(platform: NodeJS.Platform, program: string): boolean {
  return platform === 'darwin' && (program.startsWith('/Volumes/') || program.includes('/AppTranslocation/'));
}

/** Why this installation cannot replace itself by a newer version; undefined when it can. */
export function updateObstacle(facts: {
  platform: NodeJS.Platform;
  program: string;
  /** Path of the AppImage; undefined for other packages. */
  appImage: string | undefined;
  /** Whether the package's kind (deb, rpm) is written beside the app. */
  hasPackageType: boolean;
  canWrite: (file: string) => boolean;
}): string | undefined {
  const { appImage, canWrite, hasPackageType, platform, program } = facts;
  if (isOnDiskImage(platform, program))
    return 'Homeport updates itself only from the Applications folder. Move it there, and start it from there.';
  if (platform !== 'linux' || hasPackageType) return undefined;
  if (appImage === undefined)
    return 'This package (tar.gz) does not update itself. Replace its folder by that of a newer version.';
  return canWrite(appImage) ? undefined : `The AppImage cannot update itself, because ${appImage} cannot be written.`;
}

/** In milliseconds. Failures of the graphics process within this time belong together. */
const FAILURE_SPAN_MS = 60_000;

/**
 * Whether the graphics card is to be given up: its process could not be started, or failed twice. Chromium itself starts it
 * again three times and then ends the app, so this has to be decided before.
 */
export function givesUpGraphics(failures: ReadonlyArray<{ at: number; reason: string }>): boolean {
  const bad = failures.filter(({ reason }) => reason !== 'clean-exit' && reason !== 'killed');
  if (bad.some(({ reason }) => reason === 'launch-failed' || reason === 'integrity-failure')) return true;
  return bad.some(({ at }, index) => at - (bad[index - 1]?.at ?? Number.NEGATIVE_INFINITY) < FAILURE_SPAN_MS);
}
