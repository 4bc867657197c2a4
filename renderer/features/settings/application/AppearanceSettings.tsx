import { Button, SegmentedControl, Select, Switch, useMantineColorScheme } from '@mantine/core';
import { Section } from '../../../components/Section.tsx';
import { useNow } from '../../../components/use-now.ts';
import { usePreferences } from '../../../components/use-preferences.ts';
import { formatDateTime } from '../../../lib/format-time.ts';
import { changePreferences, type Density, FONT_SIZES } from '../../../lib/preferences.ts';
import classes from '../EnvironmentSettings.module.css';

const SIZES = Array.from({ length: FONT_SIZES.most - FONT_SIZES.least + 1 }, (_, index) =>
  String(FONT_SIZES.least + index),
);
/** What the select has in place of no zone. */
const OF_COMPUTER = 'computer';
const ZONES = [OF_COMPUTER, 'UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];

/** How this browser shows the dashboard; each choice counts at once. */
export function AppearanceSettings() {
  const { contrast, density, fontSize, motion, timeZone } = usePreferences();
  // The kit would switch transitions off through a style element, which the page's policy refuses.
  const { colorScheme, setColorScheme } = useMantineColorScheme({ keepTransitions: true });
  const now = useNow();
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const reset = (): void => {
    changePreferences({
      contrast: 'system',
      density: 'normal',
      fontSize: FONT_SIZES.usual,
      motion: 'system',
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
      <p className={classes['lead']}>Kept in this browser. What is chosen here counts at once.</p>
      <div className={classes['choices']}>
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
          description="Without grey text and soft fills; on by itself when the system asks for it."
          checked={contrast === 'more'}
          onChange={(event) => changePreferences({ contrast: event.currentTarget.checked ? 'more' : 'system' })}
        />
        <Choice
          label="Rows of tables"
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
          description="Nothing moves or fades; on by itself when the system asks for it."
          checked={motion === 'reduced'}
          onChange={(event) => changePreferences({ motion: event.currentTarget.checked ? 'reduced' : 'system' })}
        />
        <Select
          label="Time zone"
          description={`Of all times on the screen. Now: ${formatDateTime(new Date(now).toISOString())}`}
          data={ZONES.map((zone) => ({
            value: zone,
            label: zone === OF_COMPUTER ? `Of this computer (${own})` : zone.replaceAll('_', ' '),
          }))}
          searchable
          limit={60}
          value={timeZone ?? OF_COMPUTER}
          onChange={(zone) => changePreferences({ timeZone: zone === OF_COMPUTER ? null : zone })}
        />
      </div>
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
      <span className={classes['choice']} aria-hidden>
        {label}
      </span>
      <SegmentedControl fullWidth aria-label={label} {...control} />
    </div>
  );
}
