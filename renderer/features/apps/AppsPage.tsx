import { Tabs } from '@mantine/core';
import { usePage } from '../../components/page/page-context.ts';
import { useUrlState } from '../../components/page/use-url-state.ts';
import { AuditList } from './AuditList.tsx';
import { KeyList } from './KeyList.tsx';

/** Address parameters of the audit, which the tab of keys does not have. */
const OWN_STATE = ['search', 'actions', 'apps', 'results', 'integrations', 'sort'];

/** Which apps may call Homeport on this computer, and an audit of their calls (ui.md 6.14). */
export function AppsPage() {
  const url = useUrlState();
  usePage([{ label: 'Apps & keys' }]);
  const tab = url.get('tab') === 'audit' ? 'audit' : 'keys';
  const tabs = (
    <Tabs
      flex="none"
      value={tab}
      onChange={(next) =>
        next !== tab &&
        url.set({ ...Object.fromEntries(OWN_STATE.map((name) => [name, ''])), tab: next === 'audit' ? next : '' })
      }
    >
      <Tabs.List>
        <Tabs.Tab value="keys">Keys</Tabs.Tab>
        <Tabs.Tab value="audit">Access audit</Tabs.Tab>
      </Tabs.List>
    </Tabs>
  );
  return tab === 'audit' ? <AuditList tabs={tabs} /> : <KeyList tabs={tabs} />;
}
