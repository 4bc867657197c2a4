import { Button, Menu } from '@mantine/core';
import { IconChevronDown } from '@tabler/icons-react';
import { describeError } from '../../api/api-error.ts';
import { useSendSample } from '../../api/webhooks/webhooks-mutations.ts';
import { notifyError } from '../../components/notify.ts';
import { TYPE_OPTIONS } from './outgoing-filters.ts';

/** A made-up event of each type, signed with the real key. */
export function SampleMenu({ onSent }: { onSent: (webhookId: string) => void }) {
  const send = useSendSample();
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button
          variant="default"
          loading={send.isPending}
          rightSection={<IconChevronDown size={14} stroke={1.6} aria-hidden />}
        >
          Send a sample event
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {TYPE_OPTIONS.map(({ value, label }) => (
          <Menu.Item
            key={value}
            rightSection={<code className="faint">{value}</code>}
            onClick={() =>
              send.mutate(value, { onSuccess: onSent, onError: (error) => notifyError(describeError(error)) })
            }
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
