import { Menu } from '@mantine/core';
import { createLink } from '@tanstack/react-router';

/**
 * A menu's item as a typed router link; separate from the other links, because a menu pulls in half of a
 * library.
 */
export const MenuItemLink = createLink(Menu.Item<'a'>);
