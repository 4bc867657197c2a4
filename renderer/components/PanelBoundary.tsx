import { Component, type ReactNode } from 'react';
import { ErrorPanel } from './ErrorPanel.tsx';

/** A panel that breaks says so in its own place; the rest of the page goes on. A new `resetKey` tries again. */
export class PanelBoundary extends Component<{ resetKey: string; children: ReactNode }, { error: Error | null }> {
  override state: { error: Error | null } = { error: null };

  static getDerivedStateFromError(error: Error): { error: Error } {
    return { error };
  }

  override componentDidUpdate(before: { resetKey: string }): void {
    if (before.resetKey !== this.props.resetKey && this.state.error) this.setState({ error: null });
  }

  override render(): ReactNode {
    const { error } = this.state;
    if (!error) return this.props.children;
    return (
      <ErrorPanel
        message="This part of the page stopped working. The rest is not affected."
        code={`${error.name}: ${error.message}`}
        onRetry={() => this.setState({ error: null })}
      />
    );
  }
}
