import { Button, Group, PasswordInput, SegmentedControl, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type {
  ApprovalsTargetResponse,
  ApprovalsTestResponse,
  EnvironmentSettingsResponse,
} from '../../api/contract.ts';
import { useSendTestQuestion } from '../../api/settings/settings-mutations.ts';
import { approvalsTargetQueryOptions } from '../../api/settings/settings-queries.ts';
import { useEnv } from '../../api/use-env.ts';
import { Fact, FactList } from '../../components/FactList.tsx';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';
import { RelativeTime } from '../../components/time/RelativeTime.tsx';
import { formatDuration } from '../../lib/format-time.ts';
import { paths } from '../../lib/paths.ts';
import type { StatusLook } from '../../lib/status.ts';
import { SettingsForm } from './SettingsForm.tsx';
import { useSettingsSection } from './use-settings-section.ts';

type Approvals = EnvironmentSettingsResponse['approvals'];

const KINDS: { value: Approvals['kind']; label: string }[] = [
  { value: 'ntfy', label: 'ntfy' },
  { value: 'webhook', label: 'Webhook' },
];

/** Where questions of agents are sent as well, so that a phone can answer them. */
export function ApprovalsSettings({ settings }: { settings: EnvironmentSettingsResponse }) {
  const env = useEnv();
  const { data: target } = useQuery(approvalsTargetQueryOptions(env));
  const section = useSettingsSection('Questions of agents', settings.approvals, (approvals) => ({ approvals }));
  const { value, change, errors, isDirty } = section;
  const isNtfy = value.kind === 'ntfy';
  const hasStored = settings.approvals.token !== null && value.token === settings.approvals.token;
  return (
    <SettingsForm
      id="approvals"
      title="Questions of agents"
      lead="A call that waits for your answer can be sent to your phone as well, with a link to allow it once and a link to deny it."
      section={section}
    >
      <SegmentedControl
        aria-label="Kind of address"
        w={220}
        data={KINDS}
        value={value.kind}
        onChange={(kind) => change({ kind: kind as Approvals['kind'] })}
      />
      <CodeInput
        label={isNtfy ? 'Topic of ntfy' : 'Webhook'}
        description={
          isNtfy
            ? 'Its address at ntfy.sh or at your own server. Whoever knows the topic can answer: choose a long random name.'
            : 'It gets a POST with the question and the two links. Whoever reads it can answer.'
        }
        placeholder={isNtfy ? 'https://ntfy.sh/my-secret-topic' : 'https://example.com/questions'}
        value={value.url ?? ''}
        error={errors['approvals.url']}
        onChange={(event) => change({ url: event.currentTarget.value.trim() || null })}
      />
      <PasswordInput
        label="Access token"
        description="Sent as Authorization: Bearer. It is stored encrypted and never shown again."
        placeholder={hasStored ? 'Stored. Type to replace it.' : 'None'}
        autoComplete="off"
        value={hasStored ? '' : (value.token ?? '')}
        error={errors['approvals.token']}
        onChange={(event) => change({ token: event.currentTarget.value.trim() || settings.approvals.token })}
      />
      {hasStored && (
        <Button
          variant="default"
          size="xs"
          style={{ justifySelf: 'start', alignSelf: 'flex-start' }}
          onClick={() => change({ token: null })}
        >
          Remove token
        </Button>
      )}
      <Switch
        label="Links through the public address"
        description="On: they work anywhere. Off: they work on this computer only."
        checked={value.public}
        onChange={(event) => change({ public: event.currentTarget.checked })}
      />
      {target && <TargetState target={target} isUnsaved={isDirty} />}
    </SettingsForm>
  );
}

const ARRIVED: StatusLook = { label: 'Sent', tone: 'ok', icon: 'check' };
const NOT_ARRIVED: StatusLook = { label: 'Not sent', tone: 'bad', icon: 'alert' };

/** What counts now: variables win over the fields above. */
function TargetState({ target, isUnsaved }: { target: ApprovalsTargetResponse; isUnsaved: boolean }) {
  const env = useEnv();
  const test = useSendTestQuestion();
  const { lastSent, source } = target;
  // A result for an earlier address does not apply to this one.
  const result = test.variables === target.url ? test.data : undefined;
  const why = isUnsaved ? 'Save the changes first.' : source === 'none' ? 'Set an address first.' : undefined;
  return (
    <>
      <FactList wide>
        {source === 'variables' && (
          <Fact label="In use">
            <code className="breaks">{target.url}</code>
            <span className="soft">
              Set by HOMEPORT_APPROVALS_URL, which wins over the address and the token above.
            </span>
          </Fact>
        )}
        <Fact label="Links lead to">
          <code className="breaks">{target.base}</code>
          {target.isPublicFixed && (
            <span className="soft">HOMEPORT_APPROVALS_PUBLIC decides this, not the switch above.</span>
          )}
          {target.arePublic && !target.hasPublicUrl && (
            <span className="warn">
              There is no public address, so they work on this computer only.{' '}
              <Link to={paths.settings(env, 'public-url')}>Set one</Link>
            </span>
          )}
        </Fact>
        <Fact label="Last message">
          {lastSent === null ? (
            <span className="faint">None since Homeport started</span>
          ) : (
            <>
              <StatusBadge look={lastSent.problem === null ? ARRIVED : NOT_ARRIVED} />
              <span className="faint">
                <RelativeTime at={lastSent.at} />
              </span>
              {lastSent.problem !== null && <span>{lastSent.problem}</span>}
            </>
          )}
        </Fact>
      </FactList>
      <Group gap={8}>
        <Button
          variant="default"
          loading={test.isPending}
          disabled={why !== undefined}
          onClick={() => test.mutate(target.url)}
        >
          Send a test
        </Button>
        <span className="row wrap soft breaks" style={{ gap: '0 8px', minHeight: 20 }} role="status">
          {why ?? (result && <TestResult result={result} />)}
        </span>
      </Group>
    </>
  );
}

function TestResult({ result: { durationMs, problem, status } }: { result: ApprovalsTestResponse }) {
  return (
    <>
      <StatusBadge look={problem === null ? ARRIVED : NOT_ARRIVED} />
      <span>{problem ?? `Answered ${status} after ${formatDuration(durationMs)}. Look at your phone.`}</span>
    </>
  );
}
