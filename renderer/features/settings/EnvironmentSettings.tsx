import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Link, Navigate, useLocation } from 'react-router';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { settingsQueryOptions } from '../../api/settings/settings-queries.ts';
import { useAnswered } from '../../api/use-answered.ts';
import { useEnv } from '../../api/use-env.ts';
import { UnsavedGuard } from '../../components/form/UnsavedGuard.tsx';
import { useHeld } from '../../components/form/unsaved-context.ts';
import { ErrorPanel } from '../../components/page/ErrorPanel.tsx';
import { Held } from '../../components/page/Held.tsx';
import { PageHeader } from '../../components/page/PageHeader.tsx';
import { PageSkeleton } from '../../components/page/PageSkeleton.tsx';
import { usePage } from '../../components/page/page-context.ts';
import { Section } from '../../components/page/Section.tsx';
import { paths } from '../../lib/paths.ts';
import { ENVIRONMENT_SECTIONS } from '../../lib/settings-sections.ts';
import { AddressSettings } from './AddressSettings.tsx';
import { AdvancedSettings } from './AdvancedSettings.tsx';
import { ApiKeySettings } from './ApiKeySettings.tsx';
import { ApprovalsSettings } from './ApprovalsSettings.tsx';
import { ConnectPageSettings } from './ConnectPageSettings.tsx';
import { DeleteEnvironment } from './DeleteEnvironment.tsx';
import { EnvironmentIdentity } from './EnvironmentIdentity.tsx';
import classes from './EnvironmentSettings.module.css';
import { LogLevelSettings } from './LogLevelSettings.tsx';
import { PublicUrlSettings } from './PublicUrlSettings.tsx';
import { RetentionSettings } from './RetentionSettings.tsx';
import { SettingsFrame } from './SettingsFrame.tsx';
import { TelemetrySettings } from './TelemetrySettings.tsx';
import { VariableSettings } from './VariableSettings.tsx';
import { WebhookSettings } from './WebhookSettings.tsx';

/** Sections that moved; older links point here. */
const MOVED: Record<string, string> = { data: 'data', sessions: 'general' };

/** Settings of one environment; every section is saved separately. */
export function EnvironmentSettings() {
  const env = useEnv();
  const { data: meta } = useQuery(metaQueryOptions());
  const { data, error, refetch } = useQuery(settingsQueryOptions(env));
  const settings = useHeld(data);
  const isAnswered = useAnswered();
  const { hash } = useLocation();
  const section = hash.slice(1);
  const listed = ENVIRONMENT_SECTIONS.find(({ id }) => id === section);
  const isReady = meta !== undefined && settings !== undefined;
  const away = error && !data ? <ErrorPanel error={error} onRetry={() => void refetch()} /> : <PageSkeleton />;
  useEffect(() => {
    if (isReady && isAnswered) document.getElementById(section)?.scrollIntoView();
  }, [isReady, isAnswered, section]);
  usePage([{ label: 'Settings' }]);
  const moved = MOVED[section];
  if (moved) return <Navigate to={paths.appSettings(moved)} replace />;
  return (
    <>
      <PageHeader title="Settings" aside={<span className="soft">of environment {env}</span>} />
      <SettingsFrame current={paths.settings(env, listed?.id ?? 'general')}>
        {!isReady && away}
        {isReady && (
          <UnsavedGuard key={env} instead={data ? undefined : away}>
            <Held isHeld={!isAnswered}>
              <EnvironmentIdentity />
              <LogLevelSettings settings={settings} />
              <ApiKeySettings apiUrl={meta.apiUrl} />
              <AddressSettings functionsFolder={meta.functionsFolder} />
              <ConnectPageSettings settings={settings} />
              <WebhookSettings settings={settings} />
              <NotificationSettings />
              <ApprovalsSettings settings={settings} />
              <PublicUrlSettings settings={settings} inUse={meta.health.tunnelUrl} />
              <VariableSettings settings={settings} />
              <RetentionSettings settings={settings} />
              <AdvancedSettings settings={settings} />
              <TelemetrySettings settings={settings} />
              <DeleteEnvironment />
            </Held>
          </UnsavedGuard>
        )}
      </SettingsFrame>
    </>
  );
}

/** Each rule is next to its subject. */
function NotificationSettings() {
  const env = useEnv();
  return (
    <div id="notifications" className={classes['anchor']}>
      <Section
        title="Notifications"
        aside={
          <Button component={Link} to={paths.notifications(env)} size="xs" variant="default">
            Set notifications
          </Button>
        }
      >
        <p className="soft pb-12">
          What you are told in this window and by the system, after how many failures, and when it is quiet.
        </p>
      </Section>
    </div>
  );
}
