import { useLingui } from '@lingui/react/macro';
import { ActionIcon, CopyButton as MantineCopyButton, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

/** How long the copied state lasts. */
const COPIED_MS = 2000;

/** Copies a value with one click and says so for two seconds. `label` names what is copied. */
export function CopyButton(props: { value: string; label: string; onCopied?: () => void }) {
  const { value, label, onCopied } = props;
  const { t } = useLingui();
  return (
    <MantineCopyButton value={value} timeout={COPIED_MS}>
      {({ copied, copy }) => (
        <>
          <Tooltip label={copied ? t`Copied` : label}>
            <ActionIcon
              onClick={() => {
                copy();
                onCopied?.();
              }}
              aria-label={label}
              color={copied ? 'green' : 'gray'}
              size="md"
            >
              {copied ? <IconCheck size={16} stroke={2} /> : <IconCopy size={16} stroke={1.75} />}
            </ActionIcon>
          </Tooltip>
          <span className="visually-hidden" role="status">
            {copied ? t`Copied` : ''}
          </span>
        </>
      )}
    </MantineCopyButton>
  );
}
