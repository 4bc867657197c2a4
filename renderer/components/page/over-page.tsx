import { createContext, type ReactNode, useContext, useState } from 'react';

const OverPageContext = createContext<(shown: ReactNode) => void>(() => {});

/** Shows over the page what must outlive its screen, in any environment and after another sign-in; undefined: nothing. */
export const useOverPage = (): ((shown: ReactNode) => void) => useContext(OverPageContext);

/** Around everything that may be left while something over it goes on. */
export function OverPage({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<ReactNode>();
  return (
    <OverPageContext value={setShown}>
      {children}
      {shown}
    </OverPageContext>
  );
}
