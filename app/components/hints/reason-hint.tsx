import { Tooltip } from '@mantine/core';

/** The reason beside an unavailable action. */
export default function ReasonHint({ reason, target }: { reason: string; target: HTMLElement }) {
  return <Tooltip target={target} label={reason} opened multiline maw={260} />;
}
