import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type DashboardFixture, startDashboard } from './dashboard-fixture.ts';

const SCRIPT = "document.documentElement.dataset.theme = 'dark'";
let server: DashboardFixture;
beforeAll(async () => {
  server = await startDashboard();
});
afterAll(() => server.close());

const get = (path: string, accept = 'text/html,*/*', { url } = server): Promise<Response> =>
  fetch(`${url}${path}`, { redirect: 'manual', headers: { accept } });

async function build({ rendererFolder } = server): Promise<void> {
  await mkdir(join(rendererFolder, 'assets'), { recursive: true });
  await writeFile(
    join(rendererFolder, 'index.html'),
    `<!doctype html><script>${SCRIPT}</script><script type="module" src="/app/assets/main-1a2b.js"></script>`,
  );
  await writeFile(join(rendererFolder, 'assets/main-1a2b.js'), 'export {}');
}

describe('pages of the dashboard', () => {
  it('say how to build them while they are missing, and come up without a restart', async () => {
    const unbuilt = await startDashboard();
    onTestFinished(() => unbuilt.close());
    const missing = await get('/app/', undefined, unbuilt);
    await build(unbuilt);

    expect(missing.status).toBe(503);
    expect(await missing.text()).toContain('npm run build');
    expect((await get('/app/', undefined, unbuilt)).status).toBe(200);
  });

  it('serve the start page for every place, with a policy that lets its own inline script run', async () => {
    await build();
    const hash = createHash('sha256').update(SCRIPT).digest('base64');

    for (const path of ['/app', '/app/', '/app/dev/logs?live=true', '/app/dev/connections/crm/ann%40example.com']) {
      const page = await get(path);
      expect(page.status).toBe(200);
      expect(await page.text()).toContain(SCRIPT);
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).toContain(`script-src 'self' 'sha256-${hash}';`);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("frame-src 'self'");
      expect(policy).toContain("default-src 'none'");
      expect(policy).not.toContain('unsafe');
      expect(page.headers.get('cache-control')).toBe('no-store');
      expect(page.headers.get('x-content-type-options')).toBe('nosniff');
      expect(page.headers.get('referrer-policy')).toBe('same-origin');
      expect(page.headers.get('access-control-allow-origin')).toBeNull();
    }
  });

  it('keep hashed files for ever and do not answer for missing ones', async () => {
    await build();
    const asset = await get('/app/assets/main-1a2b.js', '*/*');

    expect(asset.status).toBe(200);
    expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect((await get('/app/assets/main-9z.js')).status).toBe(404);
    expect((await get('/app/assets/..%2f..%2fhomeport.db')).status).toBe(404);
  });
});

describe('links of reference material', () => {
  it.each([
    ['/', '/app/'],
    ['/dev/integrations', '/app/dev/integrations'],
    ['/dev/integrations/crm/settings', '/app/dev/integrations/crm/settings'],
    ['/dev/connections/crm/a%2Fb', '/app/dev/connections/crm/a%2Fb'],
    ['/dev/logs?states=failed', '/app/dev/logs?states=failed'],
    ['/dev/activity', '/app/dev/logs'],
    ['/dev/environment-settings', '/app/dev/environment-settings'],
    ['/dev/project-settings', '/app/dev/environment-settings'],
    ['/dev/integration/crm?a=b', '/app/dev/integrations/crm?a=b'],
    ['/dev/getting-started', '/app/dev/getting-started'],
  ])('%s leads to %s', async (from, to) => {
    const response = await get(from);

    expect(response.status).toBe(302);
    expect(response.headers.get('location')).toBe(to);
  });

  it('stay unknown to programs and on paths of the API', async () => {
    expect((await get('/dev/logs', 'application/json')).status).toBe(404);
    expect((await get('/api/logs')).status).toBe(404);
  });
});

describe('logos of providers', () => {
  it('are drawn from the initials', async () => {
    const logo = await get('/images/template-logos/hubspot.svg', 'image/*');

    expect(logo.headers.get('content-type')).toContain('image/svg+xml');
    expect(await logo.text()).toMatch(/^<svg .*>H<\/text><\/svg>$/);
  });

  it('refuse names that are no provider names', async () => {
    expect((await get('/images/template-logos/..%2Fhomeport.svg', 'image/*')).status).toBe(404);
  });
});
