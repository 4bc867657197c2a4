import { Button } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { useAnswered } from '../../api/use-answered.ts';
import { useEnv } from '../../api/use-env.ts';
import { UnsavedGuard } from '../../components/form/UnsavedGuard.tsx';
import { EmptyState } from '../../components/page/EmptyState.tsx';
import { Held } from '../../components/page/Held.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { paths } from '../../lib/paths.ts';
import { APPLICATION_SECTIONS } from '../../lib/settings-sections.ts';
import { AboutSettings } from './application/AboutSettings.tsx';
import { AppearanceSettings } from './application/AppearanceSettings.tsx';
import { DataSettings } from './application/DataSettings.tsx';
import { DesktopSettings } from './application/DesktopSettings.tsx';
import { EnvironmentList } from './application/EnvironmentList.tsx';
import { NetworkSettings } from './application/NetworkSettings.tsx';
import { ShortcutSettings } from './application/ShortcutSettings.tsx';
import { VaultSettings } from './application/VaultSettings.tsx';
import { VersionSettings } from './application/VersionSettings.tsx';
import { SettingsFrame } from './SettingsFrame.tsx';

const PAGES: Record<string, ComponentType> = {
  general: DesktopSettings,
  environments: EnvironmentList,
  appearance: AppearanceSettings,
  shortcuts: ShortcutSettings,
  data: DataSettings,
  vault: VaultSettings,
  network: NetworkSettings,
  updates: VersionSettings,
  about: AboutSettings,
};

/** Draws the sections of a page together: each asks for its own data. */
function Answered({ children }: { children: ReactNode }) {
  return <Held isHeld={!useAnswered()}>{children}</Held>;
}

/** Settings of the program and of this browser, one page per section. */
export function ApplicationSettings() {
  const env = useEnv();
  const { section = '' } = useParams();
  const label = APPLICATION_SECTIONS.find(({ id }) => id === section)?.label ?? 'Not found';
  const Page = PAGES[section];
  usePage([
    { label: 'Settings', to: paths.settings(env) },
    { label, isTitle: true },
  ]);
  return (
    <>
      <PageHeader
        title={label}
        aside={section === 'general' ? <span className="soft">of this computer</span> : undefined}
      />
      <SettingsFrame current={paths.appSettings(section)}>
        {Page ? (
          <UnsavedGuard key={section}>
            <Answered key={section}>
              <Page />
            </Answered>
          </UnsavedGuard>
        ) : (
          <EmptyState title="There is no such section" text="It may be an old link.">
            <Button component={Link} to={paths.appSettings('general')}>
              General settings
            </Button>
          </EmptyState>
        )}
      </SettingsFrame>
    </>
  );
}
