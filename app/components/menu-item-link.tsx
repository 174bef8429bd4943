import { Menu } from '@mantine/core';
import { createLink } from '@tanstack/react-router';

/** A menu's item as a typed router link; apart from the other links, since a menu brings half of a library along. */
export const MenuItemLink = createLink(Menu.Item<'a'>);
