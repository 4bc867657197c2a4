import { Component, type ReactNode } from 'react';
import { ErrorPanel } from './ErrorPanel.tsx';

export const MISSING_PART = 'Homeport was updated, and this part of the page is no longer there. Reload the page.';

/** Whether a file of the page could not be loaded; each browser words this error differently. */
export function isMissingPart(error: unknown): boolean {
  return error instanceof Error && /dynamically imported module|module script failed|preload CSS/i.test(error.message);
}

/** Shows an error of a panel in place of the panel; the rest of the page keeps working. A new `resetKey` tries again. */
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
    if (isMissingPart(error))
      return (
        <ErrorPanel
          error={{ message: MISSING_PART, code: 'missing_part' }}
          retry="Reload"
          onRetry={() => location.reload()}
        />
      );
    return (
      <ErrorPanel
        error={{
          message: 'This part of the page stopped working. The rest is not affected.',
          code: `${error.name}: ${error.message}`,
        }}
        onRetry={() => this.setState({ error: null })}
      />
    );
  }
}
