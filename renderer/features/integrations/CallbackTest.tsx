import { Button, Group } from '@mantine/core';
import type { Callback } from '../../api/contract.ts';
import { readCheck } from '../../api/settings/callback-check.ts';
import { useCallbackCheck } from '../../api/settings/settings-mutations.ts';
import { Section } from '../../components/page/Section.tsx';
import { StatusBadge } from '../../components/StatusBadge.tsx';

/** Requests the address as a provider's redirect would. */
export function CallbackTest({ callback }: { callback: Callback }) {
  const { button, outcome } = useAddressTest(callback.callbackUrl);
  return (
    <Section title="Does it answer?" aside={button}>
      <p className="soft breaks">Opens the address as a browser would, without a sign-in.</p>
      {outcome}
    </Section>
  );
}

/** The same as the last step of a set-up. */
export function CallbackTestStep({ callbackUrl }: { callbackUrl: string }) {
  const { button, outcome } = useAddressTest(callbackUrl);
  return (
    <>
      <div className="pt-8">{button}</div>
      {outcome}
    </>
  );
}

function useAddressTest(callbackUrl: string) {
  const check = useCallbackCheck();
  const result = check.data && check.variables === callbackUrl && readCheck(check.data);
  return {
    button: (
      <Button size="xs" variant="default" loading={check.isPending} onClick={() => check.mutate(callbackUrl)}>
        Test the address
      </Button>
    ),
    outcome: (
      <div role="status">
        {result && (
          <Group gap="4px 8px" align="baseline" pt={8}>
            <StatusBadge look={result.look} />
            <p className="soft breaks" style={{ flex: '1 1 200px' }}>
              {result.text}
            </p>
          </Group>
        )}
      </div>
    ),
  };
}
