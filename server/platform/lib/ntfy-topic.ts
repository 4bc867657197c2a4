/** Whether an address of ntfy names a topic, as in `https://ntfy.sh/my-topic`. */
export const hasNtfyTopic = (url: string): boolean => /[^/]/.test(new URL(url).pathname);
