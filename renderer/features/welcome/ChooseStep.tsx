import { Radio } from '@mantine/core';
import {
  IconDatabase,
  IconFlask2,
  IconKey,
  IconPackageImport,
  IconPlugConnected,
  IconRefresh,
  IconTerminal2,
  IconUserCheck,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ComponentType, ReactNode } from 'react';
import { providersQueryOptions } from '../../api/integrations/integrations-queries.ts';
import { ProviderLogo } from '../../components/connection/ProviderLogo.tsx';
import type { FirstRunState } from '../../lib/first-run.ts';
import { formatNumber } from '../../lib/format-number.ts';
import type { StepProps } from './step-props.ts';
import classes from './WelcomeStep.module.css';

/** The suggested providers, if the catalogue has them. */
const FAMILIAR = ['github', 'slack', 'notion', 'hubspot', 'google-calendar', 'linear', 'stripe-api-key', 'jira'];

const LIFE: ReadonlyArray<readonly [typeof IconKey, string]> = [
  [IconUserCheck, 'Sign in'],
  [IconKey, 'Token'],
  [IconRefresh, 'Refresh'],
  [IconTerminal2, 'API call'],
  [IconDatabase, '250 records'],
];

/** Chooses the provider for the next steps. */
export function ChooseStep({ heading, firstRun, change, goOn }: StepProps) {
  const providers = useQuery(providersQueryOptions()).data ?? [];
  const shown = FAMILIAR.flatMap((name) => providers.find((one) => one.name === name) ?? []);
  return (
    <>
      <h1 ref={heading} tabIndex={-1}>
        How do you want to start?
      </h1>
      <p className={`soft ${classes['lead']}`}>You can do the other two at any time. Nothing here needs an account.</p>
      <Radio.Group
        label="How do you want to start?"
        labelProps={{ className: 'visually-hidden' }}
        value={firstRun.way}
        onChange={(way) => change({ way: way as FirstRunState['way'] })}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          event.preventDefault();
          goOn();
        }}
      >
        <div className="stack gap-16">
          <Way
            way="practice"
            firstRun={firstRun}
            icon={IconFlask2}
            title="Try the practice provider"
            aside={<span className={`tiny name ${classes['tag']}`}>Works offline</span>}
            text="A simulated service inside Homeport. See what a connection does, from its sign-in to its deletion, without a real account."
          >
            <span className={`row gap-0 ${classes['life']}`} style={{ marginTop: 14 }}>
              {LIFE.map(([Icon, name]) => (
                <span className="row gap-6 frame small rigid name" key={name}>
                  <Icon className="soft" size={14} stroke={1.6} />
                  {name}
                </span>
              ))}
            </span>
          </Way>
          <Way
            way="provider"
            firstRun={firstRun}
            icon={IconPlugConnected}
            title="Connect a real provider"
            text="Bring a client ID or an API key. The callback address to register is shown when you set it up."
          >
            <span className="row gap-12 wrap small" style={{ marginTop: 10, minHeight: 18 }}>
              {shown.map(({ name, displayName }) => (
                <ProviderLogo key={name} provider={name} name={displayName} size={18} />
              ))}
              {providers.length > shown.length && <span>and {formatNumber(providers.length - shown.length)} more</span>}
            </span>
          </Way>
          <Way
            way="import"
            firstRun={firstRun}
            icon={IconPackageImport}
            title="Import"
            text="Drop an export, a list of connections or a provider entry on this window, or bring connections from another hub or one by one."
          />
        </div>
      </Radio.Group>
    </>
  );
}

interface WayProps {
  way: FirstRunState['way'];
  firstRun: FirstRunState;
  icon: ComponentType<{ size: number; stroke: number }>;
  title: string;
  aside?: ReactNode;
  text: string;
  children?: ReactNode;
}

function Way({ way, firstRun, icon: Icon, title, aside, text, children }: WayProps) {
  return (
    <label
      className={`flex gap-16 ${classes['way']}`}
      htmlFor={`way-${way}-choice`}
      data-chosen={firstRun.way === way || undefined}
    >
      <span className={`centred rigid soft ${classes['tile']}`} aria-hidden>
        <Icon size={20} stroke={1.6} />
      </span>
      <span className="grow soft stack gap-2">
        <span className={`row wrap ${classes['wayTitle']}`}>
          <strong id={`way-${way}`}>{title}</strong>
          {aside}
        </span>
        <span id={`way-${way}-text`}>{text}</span>
        {children}
      </span>
      <Radio
        id={`way-${way}-choice`}
        value={way}
        size="sm"
        aria-labelledby={`way-${way}`}
        aria-describedby={`way-${way}-text`}
      />
    </label>
  );
}
