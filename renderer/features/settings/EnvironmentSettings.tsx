import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { describeError } from '../../api/api-error.ts';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { settingsQueryOptions } from '../../api/settings/settings-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { ErrorPanel } from '../../components/ErrorPanel.tsx';
import { PageHeader } from '../../components/PageHeader.tsx';
import { usePage } from '../../components/page-context.ts';
import { UnsavedGuard } from '../../components/UnsavedGuard.tsx';
import { AddressSettings } from './AddressSettings.tsx';
import { ApiKeySettings } from './ApiKeySettings.tsx';
import { DataSettings } from './DataSettings.tsx';
import classes from './EnvironmentSettings.module.css';
import { GeneralSettings } from './GeneralSettings.tsx';
import { PublicUrlSettings } from './PublicUrlSettings.tsx';
import { RetentionSettings } from './RetentionSettings.tsx';
import { SessionSettings } from './SessionSettings.tsx';
import { VariableSettings } from './VariableSettings.tsx';
import { WebhookSettings } from './WebhookSettings.tsx';

/** Settings of one environment; every section is saved for itself. */
export function EnvironmentSettings() {
  const env = useEnv();
  const { data: meta } = useQuery(metaQueryOptions());
  const { data: settings, error, refetch } = useQuery(settingsQueryOptions(env));
  const { hash } = useLocation();
  const isReady = meta !== undefined && settings !== undefined;
  useEffect(() => {
    if (isReady) document.getElementById(hash.slice(1))?.scrollIntoView();
  }, [isReady, hash]);
  usePage([{ label: 'Settings' }]);
  return (
    <>
      <PageHeader title="Settings" aside={<span className="soft">of environment {env}</span>} />
      {error && !settings && <ErrorPanel {...describeError(error)} onRetry={() => void refetch()} />}
      {isReady && (
        <UnsavedGuard key={env}>
          <div className={classes['page']}>
            <GeneralSettings settings={settings} />
            <ApiKeySettings apiUrl={meta.apiUrl} />
            <AddressSettings functionsFolder={meta.functionsFolder} />
            <WebhookSettings settings={settings} />
            <PublicUrlSettings settings={settings} inUse={meta.health.tunnelUrl} />
            <VariableSettings settings={settings} />
            <RetentionSettings settings={settings} />
            <SessionSettings />
            <DataSettings />
          </div>
        </UnsavedGuard>
      )}
    </>
  );
}
