import type { EnvironmentSettingsResponse } from '../../api/contract.ts';
import { CopyRow } from '../../components/CopyRow.tsx';
import { Fact, FactList } from '../../components/FactList.tsx';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import { SettingsForm } from './SettingsForm.tsx';
import { useSettingsSection } from './use-settings-section.ts';

/** `inUse`: the current public address of the hub; another environment or a variable may set it. */
export function PublicUrlSettings({
  settings,
  inUse,
}: {
  settings: EnvironmentSettingsResponse;
  inUse: string | null;
}) {
  const stored = settings.public_url;
  const section = useSettingsSection('Public URL', { url: stored ?? '' }, ({ url }) => ({ public_url: url }));
  return (
    <SettingsForm
      id="public-url"
      title="Public URL"
      lead="Providers cannot reach this computer by themselves. Run a tunnel of your choice to Homeport’s port and enter its address here: webhooks of providers then arrive, and sign-ins return over https. Nothing else is served there, unless you switch it on for agents."
      section={section}
    >
      <CodeInput
        label="Address of the tunnel"
        placeholder="https://hub.example.com"
        value={section.value.url}
        error={section.errors['public_url']}
        onChange={(event) => section.change({ url: event.currentTarget.value.trim() })}
      />
      <FactList wide>
        <Fact label="In use">
          {inUse === null ? (
            <span className="soft">No tunnel: webhooks of providers do not arrive.</span>
          ) : (
            <>
              <CopyRow value={inUse} label="Copy public address" />
              {inUse !== stored && (
                <span className="soft">Set by HOMEPORT_PUBLIC_URL or another environment, which takes precedence.</span>
              )}
            </>
          )}
        </Fact>
      </FactList>
    </SettingsForm>
  );
}
