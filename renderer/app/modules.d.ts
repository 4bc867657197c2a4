declare module 'virtual:homeport-theme.css';

/** Packages that are shipped with the program (build/config/licence-list.ts). */
declare module 'virtual:homeport-licences' {
  export const licences: ReadonlyArray<{
    name: string;
    version: string;
    licence: string;
    os?: readonly string[];
    cpu?: readonly string[];
  }>;
}
