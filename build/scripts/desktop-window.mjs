import { SetupProblem } from './setup/setup-problem.mjs';

const IN_BROWSER = 'the dashboard opens in the browser';

/** What a start without a window says; without a reason the person chose the browser. */
export function browserSentence(reason) {
  return reason ? `${reason[0].toUpperCase()}${reason.slice(1)}; ${IN_BROWSER}.` : undefined;
}

/**
 * Whether a person may have the desktop window: `isWanted`, else the reason, which is undefined when the person chose the
 * browser (`--browser` or HOMEPORT_WINDOW=browser).
 */
export function chooseWindow({
  args = process.argv.slice(2),
  env = process.env,
  platform = process.platform,
  userId = process.getuid?.(),
} = {}) {
  const wish = env.HOMEPORT_WINDOW || 'desktop';
  if (!['browser', 'desktop'].includes(wish))
    throw new SetupProblem(`HOMEPORT_WINDOW is "${wish}"; it can be "desktop" (the default) or "browser".`);
  if (args.includes('--browser') || wish === 'browser') return { isWanted: false };
  if (platform === 'linux' && !env.DISPLAY && !env.WAYLAND_DISPLAY)
    return { isWanted: false, reason: 'there is no screen for the desktop window' };
  // Chromium's own rule. A test or a container may have to give up the sandbox; nothing here proposes it.
  if (platform === 'linux' && userId === 0 && !args.includes('--no-sandbox'))
    return {
      isWanted: false,
      reason: 'the desktop window does not open for root (start Homeport as another user to have it)',
    };
  return { isWanted: true };
}
