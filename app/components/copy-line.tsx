import { Box, Code } from '@mantine/core';
import { CopyButton } from './copy-button.tsx';
import classes from './copy-line.module.css';

/** A value or command that people copy: monospaced, scrolling inside itself, with its copy button. */
export function CopyLine({ value, label }: { value: string; label: string }) {
  return (
    <Box className={classes.line}>
      {/* A scrolling region must be reachable by keyboard. */}
      <Code className={classes.code} block tabIndex={0} role="region" aria-label={label}>
        {value}
      </Code>
      <CopyButton value={value} label={label} />
    </Box>
  );
}
