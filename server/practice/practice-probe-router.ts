import { type Request, Router } from 'express';
import { accessOf, describeCaller } from './authorization/practice-access.ts';
import { PracticeError } from './practice-error.ts';
import { queryInt } from './practice-paging.ts';

/**
 * Routes that show a caller its own request: `/me` (identity), `/echo` (what was sent), `/redirect?to=&status=`
 * (redirects).
 */
export function practiceProbeRouter(): Router {
  const router = Router();
  router.get('/me', (_request, response) => {
    const credential = accessOf(response)?.credential ?? '';
    response.json({ ...describeCaller(response), key: credential.replace(/(?<=.{9}).+/, '…') });
  });
  router.all('/echo{/*rest}', (request, response) => {
    response.json({
      method: request.method,
      path: new URL(request.originalUrl, 'http://practice').pathname,
      query: request.query,
      headers: request.headers,
      body: echoedBody(request),
    });
  });
  router.all('/redirect', (request, response) => {
    const status = queryInt(request, 'status', { low: 300, high: 308, fallback: 302 });
    const target = request.query['to'];
    if (typeof target !== 'string')
      throw new PracticeError(422, 'validation_failed', 'to names the target of the redirect.');
    response.redirect(status, target);
  });
  return router;
}

function echoedBody(request: Request): unknown {
  if (!Buffer.isBuffer(request.body)) return request.body ?? null;
  const text = request.body.toString('utf8');
  return Buffer.from(text).equals(request.body) ? text : { base64: request.body.toString('base64') };
}
