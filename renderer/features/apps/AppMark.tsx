import { UnstyledButton } from '@mantine/core';
import {
  IconAppWindow,
  IconBrowser,
  IconChartBar,
  IconDeviceMobile,
  IconHome,
  IconMail,
  IconNotes,
  IconRobot,
  IconShoppingCart,
  IconTerminal2,
} from '@tabler/icons-react';
import { APP_ICONS, type AppIcon, type EnvironmentColour, type KeyRow } from '../../api/contract.ts';
import classes from './Apps.module.css';

const ICONS: Record<AppIcon, typeof IconRobot> = {
  app: IconAppWindow,
  robot: IconRobot,
  terminal: IconTerminal2,
  browser: IconBrowser,
  mail: IconMail,
  notes: IconNotes,
  chart: IconChartBar,
  cart: IconShoppingCart,
  home: IconHome,
  phone: IconDeviceMobile,
};
const COLOURS: EnvironmentColour[] = ['petrol', 'blue', 'violet', 'magenta', 'red', 'orange', 'green', 'grey'];

type Look = Pick<KeyRow, 'icon' | 'colour'>;

/** The icon and colour by which an app is recognised. */
export function AppMark({ icon, colour }: Look) {
  const Icon = ICONS[icon ?? 'app'];
  return (
    <span
      className={`rigid soft centred ${classes['mark']}`}
      data-coloured={colour !== null || undefined}
      style={colour === null ? undefined : { background: `var(--hp-env-${colour})` }}
    >
      <Icon size={14} stroke={1.8} aria-hidden />
    </span>
  );
}

/** Chooses icon and colour of an app; pressing the chosen one again removes the choice. */
export function LookChoice({ look, onChange }: { look: Look; onChange: (look: Look) => void }) {
  return (
    <div className={`flex wrap ${classes['look']}`}>
      <span role="group" aria-label="Icon">
        {APP_ICONS.map((icon) => {
          const Icon = ICONS[icon];
          return (
            <UnstyledButton
              key={icon}
              className={`centred ${classes['choice']}`}
              aria-label={`Icon ${icon}`}
              aria-pressed={icon === look.icon}
              onClick={() => onChange({ ...look, icon: icon === look.icon ? null : icon })}
            >
              <Icon size={16} stroke={1.6} aria-hidden />
            </UnstyledButton>
          );
        })}
      </span>
      <span role="group" aria-label="Colour">
        {COLOURS.map((colour) => (
          <UnstyledButton
            key={colour}
            className={`centred ${classes['choice']}`}
            aria-label={`Colour ${colour}`}
            aria-pressed={colour === look.colour}
            onClick={() => onChange({ ...look, colour: colour === look.colour ? null : colour })}
          >
            <i style={{ background: `var(--hp-env-${colour})` }} />
          </UnstyledButton>
        ))}
      </span>
    </div>
  );
}
