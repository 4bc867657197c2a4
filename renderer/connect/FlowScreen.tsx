import type { ConnectData } from './page/connect-data.ts';
import { FailureScreen } from './screens/FailureScreen.tsx';
import { FormScreen } from './screens/FormScreen.tsx';
import { ListScreen } from './screens/ListScreen.tsx';
import { LoadingScreen } from './screens/LoadingScreen.tsx';
import { NoticeScreen } from './screens/NoticeScreen.tsx';
import { SuccessScreen } from './screens/SuccessScreen.tsx';
import type { ConnectFlowState } from './use-connect-flow.ts';

interface FlowScreenProps {
  data: ConnectData;
  flow: ConnectFlowState;
  /** Undefined in a tab of its own, which only the person can close. */
  onClose: (() => void) | undefined;
  onFinish: (() => void) | undefined;
}

export function FlowScreen({ data, flow, onClose, onFinish }: FlowScreenProps) {
  const { screen, chosen } = flow;
  if (screen.name === 'list') return <ListScreen data={data} opening={flow.opening} onChoose={flow.choose} />;
  if (screen.name === 'notice')
    return <NoticeScreen notice={screen.notice} onRetry={flow.startAgain} onClose={onClose} />;
  if (!chosen || screen.name === 'opening') return <LoadingScreen />;
  if (screen.name === 'success')
    return <SuccessScreen chosen={chosen} isPending={screen.result.isPending === true} onFinish={onFinish} />;
  if (screen.name === 'failed')
    return (
      <FailureScreen
        chosen={chosen}
        error={screen.error}
        onBack={() => flow.showForm()}
        onRetry={() => flow.showForm({ startsAtOnce: true })}
      />
    );
  return (
    <FormScreen
      data={data}
      chosen={chosen}
      values={flow.values}
      warning={flow.warning}
      startsAtOnce={screen.name === 'form' && screen.startsAtOnce === true}
      onChange={flow.setValues}
      onBusy={flow.setBusy}
      onConnected={flow.onConnected}
      onFailed={flow.onFailed}
    />
  );
}
