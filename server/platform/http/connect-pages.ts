import express, { type RequestHandler, type Response } from 'express';
import { PageFolder } from './page-folder.ts';

export interface ConnectPagesDeps {
  /** Built page (`dist/connect`). */
  connectFolder: string;
}

/** Apps on this computer embed the page. A content security policy cannot name IPv6 addresses. */
const EMBEDDERS = 'http://localhost:* http://127.0.0.1:* https://localhost:* https://127.0.0.1:*';
/** Page and API may use different loopback names. */
const API_ORIGINS = 'http://localhost:* http://127.0.0.1:* ws://localhost:* ws://127.0.0.1:*';

const MISSING_PAGE =
  '<!doctype html><html lang="en"><meta charset="utf-8"><title>Homeport</title><h1>The connect page is not built</h1>' +
  '<p>Run <code>npm run build</code> in the folder of Homeport, then load this page again.</p></html>';

/** `/connect/`: the page on which people connect accounts, opened by its link or in a frame of an app. */
export function connectPages(use: ConnectPagesDeps): RequestHandler {
  const policy = { 'connect-src': `'self' ${API_ORIGINS}`, 'form-action': "'none'" };
  const page = new PageFolder(use.connectFolder, { ...policy, 'frame-ancestors': EMBEDDERS });
  const router = express.Router({ strict: true });
  // The build puts a hash of the content into the name of each of these files.
  router.use(
    '/connect/assets',
    express.static(`${use.connectFolder}/assets`, {
      immutable: true,
      maxAge: '1y',
      index: false,
      redirect: false,
      setHeaders: protect,
    }),
  );
  // The redirect is relative, so that the host name stays: the embedding app checks the origin of every message.
  router.get('/connect', (request, response) => {
    const query = request.originalUrl.indexOf('?');
    protect(response);
    response.setHeader('Cache-Control', 'no-store');
    response.redirect(308, `/connect/${query === -1 ? '' : request.originalUrl.slice(query)}`);
  });
  router.get('/connect/', async (_request, response) => {
    const built = await page.read();
    protect(response);
    response.setHeader('Cache-Control', 'no-store');
    response.setHeader('Content-Security-Policy', built?.policy ?? "default-src 'none'; frame-ancestors 'none'");
    response
      .status(built ? 200 : 503)
      .type('html')
      .send(built?.html ?? MISSING_PAGE);
  });
  return router;
}

/** The address may hold a session token, which must not reach other pages as a referrer. */
function protect(response: Response | { setHeader(name: string, value: string): unknown }): void {
  response.setHeader('X-Content-Type-Options', 'nosniff');
  response.setHeader('Referrer-Policy', 'no-referrer');
}
