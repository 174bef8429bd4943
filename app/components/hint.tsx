export { Tooltip as Hint } from '@mantine/core';
