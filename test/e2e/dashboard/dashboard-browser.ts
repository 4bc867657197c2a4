import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import {
  BLANK_PATH,
  DASHBOARD_DIST,
  type DashboardFixture,
  startDashboardFixture,
} from '../../support/dashboard-fixture-server.ts';
import type { FixtureOptions, FixtureState } from '../../support/dashboard-fixture-state.ts';
import { clearedPage, lendContext, returnContext } from '../../support/launch-chromium.ts';
import { screenAddress } from './dashboard-screens.ts';

export interface OpenPage {
  page: Page;
  fixture: DashboardFixture;
  /** Errors of the browser: exceptions and violations of the page's policy. */
  complaints: string[];
}

export interface OpenOptions extends FixtureOptions {
  width?: number;
  scheme?: 'light' | 'dark';
  /** Changes the state before the page loads, which costs much less than another load. */
  arrange?: (state: FixtureState) => void;
  /** Prepares the page before it loads, for example its routes. */
  prepare?: (page: Page) => Promise<unknown>;
}

export interface DashboardBrowser {
  /** Folder of the build. */
  dist: string;
  /** A path of the dashboard; `:connection` in it is the first connection. */
  open: (path: string, options?: OpenOptions) => Promise<OpenPage>;
}

/** The files of a test process share it: only at an address that it knows does a browser find its compiled scripts. */
let lasting: Promise<DashboardFixture> | undefined;

/**
 * A browser on the built dashboard, from before the first test of the file until after its last one. Every `open` clears
 * the page and replaces the previous state.
 */
export function browserOfFile(): DashboardBrowser {
  let context: BrowserContext | undefined;
  let fixture: DashboardFixture;
  beforeAll(async () => {
    context = await lendContext();
    lasting ??= startDashboardFixture();
    fixture = await lasting;
  });
  afterAll(async () => {
    fixture?.renew({});
    if (context) await returnContext(context, fixture.url + BLANK_PATH);
  });
  return {
    dist: DASHBOARD_DIST,
    open: async (path, { width = 1280, scheme = 'light', arrange, prepare, ...options } = {}) => {
      if (!context) throw new Error('The browser starts before the first test.');
      const view = { width, height: 800, scheme, isStill: true };
      const page = await clearedPage(context, fixture.url + BLANK_PATH, view);
      const started = fixture.renew(options);
      fixture = started;
      arrange?.(started.state);
      const complaints: string[] = [];
      page.on('pageerror', (error) => complaints.push(error.message));
      page.on('console', (message) => {
        if (/Content Security Policy/i.test(message.text())) complaints.push(message.text());
      });
      page.on('request', (request) => {
        if (!/^(data:|blob:)/.test(request.url()) && !request.url().startsWith(started.url))
          complaints.push(`asked ${request.url()}`);
      });
      await prepare?.(page);
      await page.goto(screenAddress(started, path));
      return { page, fixture: started, complaints };
    },
  };
}
