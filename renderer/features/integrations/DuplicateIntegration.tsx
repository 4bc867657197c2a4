import { Select } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from 'react-router';
import { metaQueryOptions } from '../../api/hub/hub-queries.ts';
import { useDuplicateIntegration } from '../../api/integrations/integrations-mutations.ts';
import { useEnv } from '../../api/use-env.ts';
import { CodeInput } from '../../components/form/CodeInput.tsx';
import { FormActions } from '../../components/form/FormActions.tsx';
import { notifyDone, notifyError } from '../../components/notice/notify.ts';
import { OpenModal } from '../../components/notice/OpenModal.tsx';
import { ApiError } from '../../lib/api-error.ts';
import { paths } from '../../lib/paths.ts';
import { INTEGRATION_KEY } from './unique-key.ts';

interface DuplicateIntegrationProps {
  integration: { key: string; displayName: string };
  onClose: () => void;
}

/** Asks for the environment and the name of a copy, then opens it. */
export function DuplicateIntegration({ integration: { key, displayName }, onClose }: DuplicateIntegrationProps) {
  const env = useEnv();
  const navigate = useNavigate();
  const { data: meta } = useQuery(metaQueryOptions());
  const duplicate = useDuplicateIntegration(key);
  const names = (meta?.environments ?? []).map(({ name }) => name);
  const form = useForm({
    initialValues: { environment: names.find((name) => name !== env) ?? env, key },
    validate: {
      key: (wanted, { environment }) => {
        if (environment === env && wanted === key)
          return 'This environment already has an integration with this ID. Choose another ID.';
        return INTEGRATION_KEY.test(wanted) ? null : 'Use letters, digits, _ and -.';
      },
    },
  });
  const submit = form.onSubmit((values) =>
    duplicate.mutate(values, {
      onSuccess: (copy) => {
        onClose();
        notifyDone(`${displayName} copied to ${values.environment}`);
        void navigate(paths.integration(values.environment, copy.key, 'settings'));
      },
      onError: (error) => {
        if (error instanceof ApiError && error.code === 'conflict') form.setFieldError('key', error.message);
        else notifyError(error);
      },
    }),
  );
  return (
    <OpenModal onClose={onClose} title={`Duplicate ${displayName}`} size={440} withCloseButton={false}>
      <form onSubmit={submit} className="stack gap-16" noValidate>
        <p className="soft">
          The copy has the same credentials, scopes and settings. Connections and records stay with the original.
        </p>
        <Select
          label="Environment"
          data={names}
          allowDeselect={false}
          comboboxProps={{ withinPortal: true }}
          {...form.getInputProps('environment')}
        />
        <CodeInput
          label="ID"
          description="Your apps refer to the integration by this ID."
          {...form.getInputProps('key')}
        />
        <FormActions action="Duplicate" isPending={duplicate.isPending} onCancel={onClose} />
      </form>
    </OpenModal>
  );
}
