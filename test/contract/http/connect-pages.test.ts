import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { connectPages } from '../../../server/platform/http/connect-pages.ts';
import { checkHost } from '../../../server/platform/http/host-guard.ts';
import { createListener, type Listener } from '../../../server/platform/http/listener.ts';

let folder: string;
let listener: Listener;
let url: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'homeport-connect-pages-'));
  const app = express();
  app.use((request, _response, next) => {
    checkHost(request, 'hub.example.test');
    next();
  });
  app.use(connectPages({ connectFolder: folder }));
  listener = createListener(app);
  url = `http://127.0.0.1:${await listener.start(0)}`;
});
afterAll(async () => {
  await listener?.stop(0);
  await rm(folder, { recursive: true, force: true });
});

afterEach(async () => {
  await rm(folder, { recursive: true });
  await mkdir(folder);
});

const get = (path: string): Promise<Response> => fetch(`${url}${path}`, { redirect: 'manual' });

async function build(): Promise<void> {
  await mkdir(join(folder, 'assets'), { recursive: true });
  await writeFile(join(folder, 'index.html'), '<!doctype html><script type="module" src="./assets/a-1.js"></script>');
  await writeFile(join(folder, 'assets/a-1.js'), 'export {}');
}

describe('the connect page', () => {
  it('says how to build it while it is missing', async () => {
    const page = await get('/connect/');

    expect(page.status).toBe(503);
    expect(await page.text()).toContain('npm run build');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
  });

  it('may be embedded by apps of this computer, and calls the hub under either name', async () => {
    await build();
    const page = await get('/connect/?session_token=x');
    const policy = Object.fromEntries(
      (page.headers.get('content-security-policy') ?? '').split('; ').map((directive) => {
        const [name = '', ...sources] = directive.split(' ');
        return [name, sources.join(' ')];
      }),
    );

    expect(page.status).toBe(200);
    expect(policy).toEqual({
      'default-src': "'none'",
      'script-src': "'self'",
      'style-src': "'self'",
      'img-src': "'self' data:",
      'connect-src': "'self' http://localhost:* http://127.0.0.1:* ws://localhost:* ws://127.0.0.1:*",
      'font-src': "'self'",
      'base-uri': "'none'",
      'form-action': "'none'",
      'frame-ancestors': 'http://localhost:* http://127.0.0.1:* https://localhost:* https://127.0.0.1:*',
    });
    expect(page.headers.get('x-frame-options')).toBeNull();
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
    expect(page.headers.get('x-content-type-options')).toBe('nosniff');
    expect(page.headers.get('cache-control')).toBe('no-store');
  });

  it('redirects to its slash within the same origin, query and all', async () => {
    const page = await get('/connect?session_token=a&lang=de');

    expect(page.status).toBe(308);
    expect(page.headers.get('location')).toBe('/connect/?session_token=a&lang=de');
    expect(page.headers.get('cache-control')).toBe('no-store');
    expect(page.headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('keeps hashed files for ever and leaves every other path alone', async () => {
    await build();
    const asset = await get('/connect/assets/a-1.js');

    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(asset.headers.get('x-content-type-options')).toBe('nosniff');
    for (const path of ['/connect/assets/b-2.js', '/connect/session', '/connect/assets/..%2findex.html', '/connect/x'])
      expect([path, (await get(path)).status]).toEqual([path, 404]);
  });
});
