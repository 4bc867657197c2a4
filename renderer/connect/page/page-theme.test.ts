import { describe, expect, it } from 'vitest';
import { contrast } from '../../lib/contrast.ts';
import { brandVariables, readSettings } from './page-theme.ts';

describe('brandVariables', () => {
  it('keeps our own colours when none was chosen or the chosen one is invalid', () => {
    expect(brandVariables('light', '#00b2e3')).toEqual({});
    expect(brandVariables('dark', 'url(https://evil.test)')).toEqual({});
    expect(brandVariables('dark', '')).toEqual({});
  });

  it.each(['#FF5A1F', '#FFE500', '#0B1020', '#7C3AED', '#FFFFFF'])('writes readably on %s', (primary) => {
    const variables = brandVariables('light', primary);

    expect(contrast(primary, variables['--connect-on-primary-light'] ?? '')).toBeGreaterThan(4.5);
  });

  it('uses it for links and rings only where its contrast is sufficient', () => {
    expect(brandVariables('light', '#7C3AED')).toMatchObject({
      '--connect-link-light': '#7C3AED',
      '--connect-ring-light': '#7C3AED',
    });
    const pale = brandVariables('light', '#FFE500');
    expect(pale).not.toHaveProperty('--connect-link-light');
    expect(pale).not.toHaveProperty('--connect-ring-light');
    expect(brandVariables('dark', '#FFE500')).toHaveProperty('--connect-link-dark', '#FFE500');
  });
});

describe('readSettings', () => {
  it('takes settings and refuses anything else', () => {
    const settings = {
      showWatermark: true,
      defaultTheme: 'dark',
      theme: { light: { primary: '#111' }, dark: { primary: '#222' } },
    };

    expect(readSettings(settings)).toEqual(settings);
    expect(readSettings({ ...settings, defaultTheme: 'pink' })).toBeUndefined();
    expect(readSettings(null)).toBeUndefined();
  });
});
