import type { ServerState } from '../../server/contract/shell-messages.ts';

const STYLE = `
  :root { color-scheme: light dark; }
  body { margin: 0; height: 100vh; display: grid; place-content: center; justify-items: center; gap: 12px;
    font: 15px/1.5 system-ui, sans-serif; text-align: center; }
  p { margin: 0; max-width: 44ch; opacity: 0.8; }
  p.late { animation: appear 0s 4s backwards; }
  @keyframes appear { from { visibility: hidden; } }
  a { padding: 6px 16px; border: 1px solid currentColor; border-radius: 6px; color: inherit; text-decoration: none; }
`;

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

/** Why the window cannot show a page: it ended unexpectedly, or could not be loaded. */
type PageFailure = 'page-ended' | 'page-failed';

interface Description {
  title: string;
  text: string;
  /** Nothing follows by itself. */
  isFinal: boolean;
  /** The text is only for a state that lasts. */
  isLate?: boolean;
}

function describeState(state: ServerState | PageFailure): Description {
  if (state === 'page-ended')
    return { title: 'This page stopped working', text: 'The hub keeps running. Load the page again.', isFinal: true };
  if (state === 'page-failed')
    return { title: 'This page could not be loaded', text: 'The hub is running. Load the page again.', isFinal: true };
  switch (state.name) {
    case 'locked':
      return { title: 'The vault is locked', text: state.message, isFinal: true };
    case 'failed':
      return { title: 'The server could not be started', text: state.message, isFinal: true };
    case 'restarting':
      return { title: 'The server ended and is being started again', text: `Attempt ${state.attempt}`, isFinal: false };
    case 'stopped':
      return { title: 'The server is stopped', text: '', isFinal: true };
    default:
      return {
        title: 'Homeport is starting',
        text: 'If the system asks whether Homeport may use the keychain, answer its question.',
        isFinal: false,
        isLate: true,
      };
  }
}

/** The page of the window while there is no page of the server: plain HTML without scripts, as a data address. */
export function statusPageUrl(state: ServerState | PageFailure): string {
  const { title, text, isFinal, isLate } = describeState(state);
  const actions = isFinal ? '<a href="homeport://retry">Try again</a>' : '';
  const policy = `default-src 'none'; style-src 'unsafe-inline'`;
  const html = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Homeport</title>
<meta http-equiv="Content-Security-Policy" content="${policy}"><style>${STYLE}</style></head>
<body><h1>${escapeHtml(title)}</h1><p${isLate ? ' class="late"' : ''}>${escapeHtml(text)}</p>${actions}</body></html>`;
  return `data:text/html;charset=utf-8,${encodeURIComponent(html)}`;
}
