import { Box, Button, Group, SegmentedControl, Switch, TextInput } from '@mantine/core';
import { useEffect, useEffectEvent, useId, useRef, useState } from 'react';
import { type ConnectUiSettings, type EnvironmentSettingsResponse, UNCHOSEN_PRIMARY } from '../../api/contract.ts';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import { READABLE, readability, readableColour, readHex } from '../../lib/contrast.ts';
import { formatFixed } from '../../lib/format-number.ts';
import classes from './ConnectPageSettings.module.css';
import { SettingsForm } from './SettingsForm.tsx';
import { useSettingsSection } from './use-settings-section.ts';

type Scheme = 'light' | 'dark';

/** Background of the connect page, behind links of the colour. */
const SURFACES: Record<Scheme, string> = { light: '#FFFFFF', dark: '#11171B' };
/** The colour that the page uses by default. */
const OWN_COLOURS: Record<Scheme, string> = { light: '#0B6A80', dark: '#4DB4C9' };
const SCHEMES: Array<[Scheme, string]> = [
  ['light', 'Colour on light'],
  ['dark', 'Colour on dark'],
];

type TextName = keyof NonNullable<ConnectUiSettings['texts']>;

/** Texts of the page that can be replaced, with its own ones in English. */
const TEXTS: ReadonlyArray<{ name: TextName; label: string; own: string }> = [
  { name: 'listTitle', label: 'Title of the list', own: 'Connect an account' },
  { name: 'listLead', label: 'Text below it', own: 'Choose what to connect.' },
  { name: 'formTitle', label: 'Title of an app', own: 'Connect {name}' },
  { name: 'formButton', label: 'Its button', own: 'Connect {name}' },
  { name: 'successTitle', label: 'Title at the end', own: '{name} is connected' },
];
const MAX_TEXT_LENGTH = 120;

/** Empty: the page's own colour. */
interface Draft {
  defaultTheme: ConnectUiSettings['defaultTheme'];
  showWatermark: boolean;
  light: string;
  dark: string;
  /** Empty texts are the page's own. */
  texts: Record<TextName, string>;
}

/** The appearance of the connect page, beside a live preview. */
export function ConnectPageSettings({ settings }: { settings: EnvironmentSettingsResponse }) {
  const { defaultTheme, showWatermark, theme, texts } = settings.connect_ui;
  const stored: Draft = {
    defaultTheme,
    showWatermark,
    light: textOf(theme.light.primary),
    dark: textOf(theme.dark.primary),
    texts: Object.fromEntries(TEXTS.map(({ name }) => [name, texts?.[name] ?? ''])) as Draft['texts'],
  };
  const section = useSettingsSection<Draft>('Connect page', stored, (draft) => ({ connect_ui: settingsOf(draft) }));
  const { value, change } = section;
  const problems = SCHEMES.map(([scheme]) => problemOf(scheme, value[scheme]));
  const fields = useRef<HTMLDivElement>(null);
  const save = (): void => {
    const wrong = problems.findIndex((problem) => problem !== undefined);
    if (wrong === -1) section.save();
    else fields.current?.querySelectorAll<HTMLInputElement>('[data-colour-text]')[wrong]?.focus();
  };
  return (
    <SettingsForm
      id="connect-ui"
      title="Connect page"
      lead="The page on which people connect their accounts to your app. Each new session shows it like this."
      section={{ ...section, save }}
    >
      <div className={`grid ${classes['columns']}`}>
        <div ref={fields} className={`stack gap-16 ${classes['fields']}`}>
          <div>
            <span className={`name ${classes['label']}`} id="connect-theme">
              Theme
            </span>
            <SegmentedControl
              fullWidth
              aria-labelledby="connect-theme"
              data={[
                { value: 'system', label: 'System' },
                { value: 'light', label: 'Light' },
                { value: 'dark', label: 'Dark' },
              ]}
              value={value.defaultTheme}
              onChange={(next) => change({ defaultTheme: next as Draft['defaultTheme'] })}
            />
          </div>
          {SCHEMES.map(([scheme, label], index) => (
            <ColourField
              key={scheme}
              scheme={scheme}
              label={label}
              value={value[scheme]}
              problem={problems[index]}
              onChange={(colour) => change({ [scheme]: colour })}
            />
          ))}
          <Switch
            label="Say that Homeport made it"
            checked={value.showWatermark}
            onChange={(event) => change({ showWatermark: event.currentTarget.checked })}
          />
          <fieldset className="stack gap-8">
            <legend className={`name ${classes['label']}`}>Texts</legend>
            <p className="faint">
              If empty, the page uses its own text in the person’s language. <code>{'{name}'}</code> stands for the app
              to connect.
            </p>
            {TEXTS.map(({ name, label, own }) => (
              <TextInput
                key={name}
                size="xs"
                label={label}
                placeholder={own}
                maxLength={MAX_TEXT_LENGTH}
                value={value.texts[name]}
                onChange={(event) => change({ texts: { ...value.texts, [name]: event.currentTarget.value } })}
              />
            ))}
          </fieldset>
        </div>
        <Preview settings={settingsOf(value)} />
      </div>
    </SettingsForm>
  );
}

interface ColourFieldProps {
  scheme: Scheme;
  label: string;
  value: string;
  problem: string | undefined;
  onChange: (colour: string) => void;
}

function ColourField({ scheme, label, value, problem, onChange }: ColourFieldProps) {
  const id = useId();
  const fixed = readHex(value) && problem ? readableColour(value, SURFACES[scheme]) : undefined;
  const ratio = readHex(value) ? readability(value, SURFACES[scheme]) : undefined;
  return (
    <div className={`stack gap-4 at-top ${classes['colour']}`}>
      <CodeInput
        id={id}
        data-colour-text
        label={label}
        description="The colour of buttons and links. If empty, Homeport’s own."
        placeholder={OWN_COLOURS[scheme]}
        value={value}
        error={problem}
        rightSection={
          <input
            type="color"
            className={classes['swatch']}
            aria-label={`${label}, picker`}
            value={(fullHex(value) ?? OWN_COLOURS[scheme]).toLowerCase()}
            onChange={(event) => onChange(event.currentTarget.value.toUpperCase())}
          />
        }
        onChange={(event) => onChange(event.currentTarget.value.trim())}
      />
      {fixed && (
        <Button size="xs" variant="default" onClick={() => onChange(fixed)}>
          Use {fixed}
        </Button>
      )}
      {ratio !== undefined && !problem && <p className="faint">{`Contrast ${formatFixed(ratio, 1)} to 1`}</p>}
    </div>
  );
}

/** The real page in preview mode: it makes no calls and applies the settings it receives (ui.md 11.2). */
function Preview({ settings }: { settings: ConnectUiSettings }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [scheme, setScheme] = useState<Scheme>(() =>
    document.documentElement.dataset['mantineColorScheme'] === 'dark' ? 'dark' : 'light',
  );
  const shown = JSON.stringify({ ...settings, defaultTheme: scheme });
  const send = useEffectEvent((text: string = shown): void => {
    const payload: unknown = JSON.parse(text);
    frame.current?.contentWindow?.postMessage({ type: 'settings_changed', payload }, location.origin);
  });
  useEffect(() => {
    const onMessage = ({ data, origin, source }: MessageEvent<{ type?: unknown } | null>): void => {
      if (origin === location.origin && source === frame.current?.contentWindow && data?.type === 'ready') send();
    };
    window.addEventListener('message', onMessage);
    return () => window.removeEventListener('message', onMessage);
  }, []);
  useEffect(() => send(shown), [shown]);
  return (
    <Box miw={0}>
      <Group gap={8} wrap="nowrap" justify="space-between" pb={8}>
        <span className={`name ${classes['label']}`}>Preview</span>
        <SegmentedControl
          size="xs"
          aria-label="Preview on"
          data={[
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
          value={scheme}
          onChange={(next) => setScheme(next as Scheme)}
        />
      </Group>
      <iframe
        ref={frame}
        title="Preview of the connect page"
        src="/connect/?preview=true&embedded=true"
        tabIndex={-1}
        className={`full ${classes['frame']}`}
      />
    </Box>
  );
}

const textOf = (primary: string): string => (primary.toUpperCase() === UNCHOSEN_PRIMARY ? '' : primary);

/** An invalid colour is replaced by the page's own, in the preview as on the page. */
function settingsOf({ dark, defaultTheme, light, showWatermark, texts }: Draft): ConnectUiSettings {
  const written = Object.entries(texts).filter(([, text]) => text.trim() !== '');
  const primaryOf = (colour: string) => ({ primary: fullHex(colour) ?? UNCHOSEN_PRIMARY });
  return {
    showWatermark,
    defaultTheme,
    theme: { light: primaryOf(light), dark: primaryOf(dark) },
    ...(written.length > 0 && { texts: Object.fromEntries(written) }),
  };
}

function fullHex(colour: string): string | undefined {
  const parts = readHex(colour);
  return parts && `#${parts.map((part) => part.toString(16).padStart(2, '0')).join('')}`.toUpperCase();
}

function problemOf(scheme: Scheme, colour: string): string | undefined {
  if (colour === '') return undefined;
  if (!readHex(colour)) return 'Must be a colour such as #0B6A80.';
  const ratio = readability(colour, SURFACES[scheme]);
  return ratio >= READABLE
    ? undefined
    : `Hard to read: contrast ${formatFixed(ratio, 1)} to 1, and ${READABLE} is needed. A similar colour with enough contrast is below.`;
}
