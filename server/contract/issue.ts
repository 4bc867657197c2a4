/** One validation problem in wire form (http-api.md 1.4). Path segments are strings, also indexes. */
export interface Issue {
  code: string;
  message: string;
  path: string[];
}
