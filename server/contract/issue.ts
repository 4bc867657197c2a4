/** One validation problem as it goes over the wire (http-api.md 1.4): path segments are strings, indexes too. */
export interface Issue {
  code: string;
  message: string;
  path: string[];
}
