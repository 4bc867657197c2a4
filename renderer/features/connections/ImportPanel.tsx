import type { IntegrationRow, ProviderDetail } from '../../api/contract.ts';
import { authModeName } from '../../lib/auth-modes.ts';
import { ImportForm } from './ImportForm.tsx';
import { isImportMode } from './import-form.ts';

/** Credentials that somebody has already. */
export function ImportPanel({ integration, provider }: { integration: IntegrationRow; provider: ProviderDetail }) {
  const { authMode } = provider;
  if (isImportMode(authMode))
    return <ImportForm integrationKey={integration.key} mode={authMode} provider={provider} />;
  return (
    <p className="soft">
      Connections of type {authModeName(authMode)} cannot be typed in. Connect them, or import them through{' '}
      <code>POST /connections</code>.
    </p>
  );
}
