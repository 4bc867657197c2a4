// @module-tag slow
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { named, nightlyEach } from '../../support/nightly-each.ts';
import { waitFor } from '../../support/wait-for.ts';
import { actAndLeave, type ConnectBrowser, startConnectBrowser, type View } from './connect-browser.ts';

let browser: ConnectBrowser;
startConnectBrowser(async (started) => {
  browser = started;
  // Enough for the search box.
  for (const name of ['Alder', 'Birch', 'Cedar with a name that is long enough for two lines on a small screen'])
    await browser.addIntegration(name.slice(0, 5).toLowerCase(), 'open', name);
});

const KEY = 'u+AbCdEfGhIjKlMnOpQr';

/** Every kind of screen, and how a person gets there. */
const SCREENS: Record<string, (view: View) => Promise<Page>> = {
  list: async (view) => {
    const { page } = await browser.openLink(await browser.session(), view);
    await page.getByRole('searchbox').fill('e');
    return page;
  },
  'form with problems': async (view) => {
    const { page } = await browser.openLink(await browser.session(['pager']), view);
    await page.getByRole('button', { name: 'Connect PagerDuty' }).click();
    await page.getByText('Account subdomain is required.').waitFor();
    return page;
  },
  'form with choices': async (view) => {
    const { page } = await browser.openLink(await browser.session(['sign-in-region']), view);
    await page.getByLabel('Region').waitFor();
    return page;
  },
  waiting: async (view) => {
    const { page } = await browser.openLink(await browser.session(['sign-in']), view);
    await page.getByRole('button', { name: 'Connect Linear' }).click();
    await page.getByRole('button', { name: 'Cancel' }).waitFor();
    return page;
  },
  failure: async (view) => {
    const { page } = await browser.openLink(await browser.session(['open']), view);
    browser.auth.refuseNext(400, 'unknown_error', `${'long'.repeat(60)} message`);
    await page.getByRole('button', { name: 'Connect Open Weather' }).click();
    await page.getByText('Details').click();
    return page;
  },
  success: async (view) => {
    const { page } = await browser.openLink(await browser.session(['open']), view);
    await page.getByRole('button', { name: 'Connect Open Weather' }).click();
    await page.getByRole('heading', { name: 'is connected' }).waitFor();
    return page;
  },
  notice: async (view) => {
    const { page } = await browser.openLink(undefined, view);
    await page.getByRole('alert').waitFor();
    return page;
  },
};

interface Findings {
  overflow: number;
  unnamed: string[];
  small: string[];
  pale: string[];
}

/** Problems of use: sideways scrolling, controls without a name or too small, low contrast. */
function inspect(page: Page): Promise<Findings> {
  return page.evaluate(() => {
    const numbers = (colour: string): number[] => (colour.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = (colour: number[]): number => {
      const [red = 0, green = 0, blue = 0] = colour.map((value) => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const groundOf = (element: Element | null): number[] => {
      for (let at = element; at; at = at.parentElement) {
        const ground = numbers(getComputedStyle(at).backgroundColor);
        if (ground.length === 3 || ground[3] === 1) return ground;
      }
      return [255, 255, 255];
    };
    const isSeen = (element: Element): boolean =>
      element.checkVisibility() &&
      element.getBoundingClientRect().width > 2 &&
      !element.closest('[aria-hidden], :disabled');
    const controls = [...document.querySelectorAll('button, a[href], input, select, textarea, summary')].filter(isSeen);
    const texts = [...document.querySelectorAll('body *')].filter(
      (element) =>
        isSeen(element) && [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim()),
    );
    const labelOf = (element: Element): string =>
      element.getAttribute('aria-label') ??
      ((element as HTMLInputElement).labels?.[0]?.textContent || element.textContent?.trim() || '');
    return {
      overflow: document.documentElement.scrollWidth - innerWidth,
      unnamed: controls.filter((element) => labelOf(element) === '').map((element) => element.outerHTML),
      small: controls
        .filter((element) => {
          const { width, height } = element.getBoundingClientRect();
          const isInText = element.tagName === 'A' && element.closest('p');
          return !isInText && (width < 24 || height < 24);
        })
        .map((element) => element.outerHTML),
      pale: texts
        .filter((element) => {
          const [dark = 0, light = 0] = [
            luminance(numbers(getComputedStyle(element).color)),
            luminance(groundOf(element)),
          ].sort((a, b) => a - b);
          return (light + 0.05) / (dark + 0.05) < 4.5;
        })
        .map((element) => element.textContent ?? ''),
    };
  });
}

const CLEAN: Findings = { overflow: 0, unnamed: [], small: [], pale: [] };

describe.each(['light', 'dark'] as const)('in the %s theme', (scheme) => {
  nightlyEach(Object.entries(SCREENS), 3)('the %s fits 320 px, names its controls and can be read', async (open) => {
    expect(await inspect(await open({ width: 320, height: 568, scheme }))).toEqual(CLEAN);
  });

  it('the dialog has its ground', async () => {
    const page = await (SCREENS['list'] as (view: View) => Promise<Page>)({ scheme });

    const ground = await page.getByRole('dialog').evaluate((dialog) => getComputedStyle(dialog).backgroundColor);
    expect(ground).toBe(scheme === 'dark' ? 'rgb(17, 23, 27)' : 'rgb(255, 255, 255)');
  });
});

describe('in forced colours', () => {
  const open = async (name: string, view: View = { width: 320, height: 568 }): Promise<Page> => {
    const page = await (SCREENS[name] as (view: View) => Promise<Page>)(view);
    await page.emulateMedia({ forcedColors: 'active' });
    return page;
  };
  /** The system's replacement for its own colours. */
  const system = (page: Page, colour: string): Promise<string> =>
    page.evaluate((name) => {
      const probe = document.body.appendChild(document.createElement('i'));
      probe.style.background = name;
      const { backgroundColor } = getComputedStyle(probe);
      probe.remove();
      return backgroundColor;
    }, colour);
  /** The ring around the focused control. */
  const ring = (page: Page): Promise<string> =>
    page.evaluate(() => {
      for (let at = document.activeElement; at; at = at.parentElement) {
        const { outlineColor, outlineStyle, outlineWidth } = getComputedStyle(at);
        if (outlineStyle !== 'none') return `${outlineWidth} ${outlineStyle} ${outlineColor}`;
      }
      return 'none';
    });

  const forms = named(['form with problems', 'form with choices', 'list']);
  nightlyEach(forms, 3)('every field of the %s shows the focus', async (name) => {
    const page = await open(name);
    const fields = page.locator('input, textarea, select');
    const chosen = await system(page, 'Highlight');

    for (const field of await fields.all()) {
      await field.focus();
      expect(await ring(page)).toBe(`2px solid ${chosen}`);
    }
  });

  it('an example in a field does not look like a value', async () => {
    const page = await open('form with problems');

    const colour = await page
      .getByLabel('API key', { exact: true })
      .evaluate((input) => getComputedStyle(input, '::placeholder').color);
    expect(colour).toBe(await system(page, 'GrayText'));
  });

  it('the dialog has an edge, as its shadow is gone', async () => {
    const page = await open('list', { width: 1180, height: 820 });

    const edge = await page.getByRole('dialog').evaluate((dialog) => {
      const { outlineStyle, outlineWidth } = getComputedStyle(dialog);
      return `${outlineWidth} ${outlineStyle}`;
    });
    expect(edge).toBe('1px solid');
  });
});

describe('the dialog', () => {
  it('is 500 by 700 on a large screen and fills a small one', async () => {
    const sizeAt = async (width: number, height: number): Promise<number[]> => {
      const page = await (SCREENS['list'] as (view: View) => Promise<Page>)({ width, height });
      const box = await page.getByRole('dialog').boundingBox();
      return [box?.width ?? 0, box?.height ?? 0];
    };

    expect(await sizeAt(1180, 820)).toEqual([500, 700]);
    expect(await sizeAt(500, 700)).toEqual([500, 700]);
    expect(await sizeAt(320, 568)).toEqual([320, 568]);
    expect(await sizeAt(1180, 400)).toEqual([1180, 400]);
  });

  it('does not move for a person who prefers reduced motion', async () => {
    const page = await (SCREENS['waiting'] as (view: View) => Promise<Page>)({});
    const moving = (): Promise<number> => page.evaluate(() => document.getAnimations().length);
    expect(await moving()).toBeGreaterThan(0);

    await page.emulateMedia({ reducedMotion: 'reduce' });

    await waitFor(async () => (await moving()) === 0, { what: 'stillness' });
  });
});

describe('with the keyboard alone', () => {
  const press = async (page: Page, ...keys: string[]): Promise<void> => {
    for (const key of keys) await page.keyboard.press(key);
  };

  it('a person finds, fills in and connects', async () => {
    const embedded = await browser.openEmbedded(await browser.session(), { width: 1000, height: 820 });
    const { page, ui } = embedded;
    await ui.getByRole('searchbox', { name: 'Search 9 apps' }).waitFor();
    await page.keyboard.type('pag');
    await ui.getByText('1 app', { exact: true }).waitFor();
    await press(page, 'ArrowDown', 'Enter');
    await ui.getByRole('heading', { name: 'Connect PagerDuty' }).waitFor();

    await waitFor(() => ui.getByLabel('Account subdomain').evaluate((input) => input === document.activeElement), {
      what: 'the focus in the first field',
    });
    await page.keyboard.type('orchard');
    await press(page, 'Tab', 'Tab');
    await page.keyboard.type(KEY);
    await press(page, 'Enter');

    await ui.getByRole('heading', { name: 'PagerDuty is connected' }).waitFor();
    actAndLeave(press(page, 'Enter'));
    await waitFor(async () => (await page.locator('#connect-ui').count()) === 0, { what: 'the frame to go' });
    expect((await embedded.events()).map(({ type }) => type)).toEqual(['ready', 'connect', 'close']);
  });

  it('the focus stays in the dialog and can be seen on every stop', async () => {
    const { page, ui } = await browser.openEmbedded(await browser.session(['pager']), { width: 1000, height: 820 });
    const first = ui.getByLabel('Account subdomain');
    await waitFor(() => first.evaluate((input) => input === document.activeElement), { what: 'the focus' });
    const stops: string[] = [];
    for (let stop = 0; stop < 8; stop += 1) {
      stops.push(
        await ui.locator(':focus').evaluate((element) => {
          const box = element.closest('[class*="box"]') ?? element;
          const isMarked =
            getComputedStyle(element).outlineStyle !== 'none' || getComputedStyle(box).boxShadow !== 'none';
          const name = element.getAttribute('aria-label') ?? (element.id || element.textContent);
          return `${name}${isMarked ? '' : ' (unmarked)'}`;
        }),
      );
      await press(page, 'Tab');
    }

    expect(stops).toEqual([
      'params.subdomain',
      'Where to find API key',
      'credentials.apiKey',
      'Show API key',
      'Connect PagerDuty',
      'Close',
      'Where to find them',
      'params.subdomain',
    ]);
    await first.focus();
    await press(page, 'Shift+Tab', 'Shift+Tab', 'Shift+Tab');
    expect(await ui.locator(':focus').textContent()).toBe('Connect PagerDuty');
  });

  it('what is typed as soon as a screen is there reaches its first field', async () => {
    const { page } = await browser.openLink(await browser.session(), {
      init: () => {
        // Reported when the page's own code has ended, before the first paint and before any key can arrive.
        const observer = new MutationObserver(() => {
          const first = document.querySelector('[data-first]');
          if (!first) return;
          observer.disconnect();
          Object.assign(window, { hasFocusAtOnce: document.activeElement === first });
        });
        observer.observe(document, { childList: true, subtree: true });
      },
    });
    await page.getByRole('searchbox').waitFor();

    expect(await page.evaluate('window.hasFocusAtOnce')).toBe(true);
  });

  it('a button with nothing to fill in has the focus', async () => {
    const { page } = await browser.openLink(await browser.session(['open']));
    await page.getByRole('button', { name: 'Connect Open Weather' }).waitFor();

    await press(page, 'Enter');

    await page.getByRole('heading', { name: 'Open Weather is connected' }).waitFor();
  });

  it('a new screen is read out, and names the tab', async () => {
    const { page } = await browser.openLink(await browser.session());
    await page.getByRole('searchbox').waitFor();
    await page.keyboard.type('open');
    await press(page, 'Enter');

    await page.getByRole('status').getByText('Connect Open Weather').waitFor({ state: 'attached' });
    expect(await page.title()).toBe('Connect Open Weather');
  });

  it('arrow keys go through the list, and Escape empties the search', async () => {
    const { page } = await browser.openLink(await browser.session());
    await page.getByRole('searchbox').waitFor();
    await press(page, 'ArrowDown', 'ArrowDown', 'ArrowUp');
    expect(await page.locator(':focus').textContent()).toContain('Alder');
    await press(page, 'ArrowUp');
    await page.keyboard.type('zzz');
    await page.getByText('Nothing matches “zzz”.').waitFor();

    await press(page, 'Escape');

    expect(await page.getByRole('searchbox').inputValue()).toBe('');
    expect(await page.getByRole('listitem').count()).toBe(9);
  });
});
