import { Button, SegmentedControl, Select, Stack, Switch, useMantineColorScheme } from '@mantine/core';
import { searchOptions } from '../../../components/form/search-options.ts';
import { Section } from '../../../components/page/Section.tsx';
import { useNow } from '../../../components/time/use-now.ts';
import { usePreferences } from '../../../components/use-preferences.ts';
import { formatNumber } from '../../../lib/format-number.ts';
import { formatDateTime } from '../../../lib/format-time.ts';
import { changePreferences, type Density, FONT_SIZES } from '../../../lib/preferences.ts';

const SIZES = Array.from({ length: FONT_SIZES.most - FONT_SIZES.least + 1 }, (_, index) =>
  String(FONT_SIZES.least + index),
);
/** The option for no zone. */
const OF_COMPUTER = 'computer';
const OF_BROWSER = 'browser';
/** Locales with different date formats; the browser's own language is the default. */
const LOCALES = [
  ...[
    'en-GB',
    'en-US',
    'en-CA',
    'en-AU',
    'en-IN',
    'de-DE',
    'de-AT',
    'de-CH',
    'fr-FR',
    'fr-CA',
    'fr-CH',
    'es-ES',
    'es-MX',
  ],
  ...[
    'it-IT',
    'pt-PT',
    'pt-BR',
    'nl-NL',
    'sv-SE',
    'da-DK',
    'nb-NO',
    'fi-FI',
    'pl-PL',
    'cs-CZ',
    'hu-HU',
    'tr-TR',
    'uk-UA',
  ],
  ...['ja-JP', 'ko-KR', 'zh-CN', 'zh-TW', 'hi-IN', 'id-ID', 'vi-VN', 'sv-FI', 'en-ZA', 'en-SE'],
];
const ofBrowser = new Intl.DateTimeFormat().resolvedOptions().locale;
const names = new Intl.DisplayNames('en', { type: 'language' });
const localeName = (locale: string): string => names.of(locale) ?? locale;
const ZONES = [OF_COMPUTER, 'UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

/** How this browser shows the dashboard; each change applies at once. */
export function AppearanceSettings() {
  const { contrast, density, fontSize, hours, locale, motion, timeZone } = usePreferences();
  // Mantine would disable transitions with a style element, which the page's policy refuses.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const now = useNow();
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const reset = (): void => {
    changePreferences({
      contrast: 'system',
      density: 'normal',
      fontSize: FONT_SIZES.usual,
      hours: 24,
      motion: 'system',
      locale: null,
      timeZone: null,
    });
    setColorScheme('auto');
  };
  return (
    <Section
      title="Look"
      aside={
        <Button size="xs" variant="default" onClick={reset}>
          Reset to defaults
        </Button>
      }
    >
      <p className="soft pb-12">Kept in this browser. Changes apply at once.</p>
      <Stack gap={16} maw={480}>
        <Choice
          label="Theme"
          data={[
            { value: 'auto', label: 'System' },
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
          value={colorScheme}
          onChange={(next) => setColorScheme(next as typeof colorScheme)}
        />
        <Switch
          label="High contrast"
          description="No grey text and no soft fills; on automatically when the system asks for it."
          checked={contrast === 'more'}
          onChange={(event) => changePreferences({ contrast: event.currentTarget.checked ? 'more' : 'system' })}
        />
        <Choice
          label="Row height"
          data={[
            { value: 'compact', label: 'Compact' },
            { value: 'normal', label: 'Normal' },
            { value: 'comfortable', label: 'Roomy' },
          ]}
          value={density}
          onChange={(next) => changePreferences({ density: next as Density })}
        />
        <Choice
          label="Text size"
          data={SIZES}
          value={String(fontSize)}
          onChange={(next) => changePreferences({ fontSize: Number(next) })}
        />
        <Switch
          label="Reduced motion"
          description="Nothing moves or fades; on automatically when the system asks for it."
          checked={motion === 'reduced'}
          onChange={(event) => changePreferences({ motion: event.currentTarget.checked ? 'reduced' : 'system' })}
        />
        <Select
          label="Dates and numbers"
          description={`The dashboard itself is in English. Now: ${formatDateTime(new Date(now).toISOString())}, ${formatNumber(1234567)}`}
          data={[OF_BROWSER, ...LOCALES].map((name) => ({
            value: name,
            label: name === OF_BROWSER ? `As in this browser (${localeName(ofBrowser)})` : localeName(name),
          }))}
          searchable
          filter={searchOptions}
          value={locale ?? OF_BROWSER}
          onChange={(name) => changePreferences({ locale: name === OF_BROWSER ? null : name })}
        />
        <Choice
          label="Clock"
          data={[
            { value: '24', label: '24 hours' },
            { value: '12', label: '12 hours, am and pm' },
          ]}
          value={String(hours)}
          onChange={(next) => changePreferences({ hours: next === '12' ? 12 : 24 })}
        />
        <Select
          label="Time zone"
          description={`For all times that are shown. Now: ${formatDateTime(new Date(now).toISOString())}`}
          data={ZONES.map((zone) => ({
            value: zone,
            label: zone === OF_COMPUTER ? `Of this computer (${own})` : zone.replaceAll('_', ' '),
          }))}
          searchable
          filter={searchOptions}
          limit={60}
          value={timeZone ?? OF_COMPUTER}
          onChange={(zone) => changePreferences({ timeZone: zone === OF_COMPUTER ? null : zone })}
        />
      </Stack>
    </Section>
  );
}

interface ChoiceProps {
  label: string;
  data: Array<{ value: string; label: string }> | string[];
  value: string;
  onChange: (value: string) => void;
}

function Choice({ label, ...control }: ChoiceProps) {
  return (
    <div>
      <span className="name pb-4" style={{ display: 'block' }} aria-hidden>
        {label}
      </span>
      <SegmentedControl fullWidth aria-label={label} {...control} />
    </div>
  );
}
