import { Box, Code } from '@mantine/core';
import { CopyButton } from './copy-button.tsx';
import classes from './copy-line.module.css';

/**
 * A value or command to copy: monospaced, scrolling internally, with its copy button. What people may have to type
 * elsewhere `wraps`, so that all of it is in sight.
 */
export function CopyLine(props: {
  value: string;
  /** In its place on the screen, if it differs. */
  shown?: string;
  label: string;
  wraps?: boolean;
  onCopied?: () => void;
}) {
  const { value, shown, label, wraps, onCopied } = props;
  return (
    // People may also select and copy it.
    <Box className={classes.line} onCopy={onCopied}>
      {/* A scrolling region must be reachable by keyboard. */}
      <Code className={classes.code} data-wraps={wraps} block tabIndex={0} role="region" aria-label={label}>
        {shown ?? value}
      </Code>
      <CopyButton value={value} label={label} onCopied={onCopied} />
    </Box>
  );
}
