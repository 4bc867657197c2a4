import { mergeThemeOverrides } from '@mantine/core';
import kit from './kit.module.css';
import { theme } from './theme.ts';

/**
 * The theme of the page: tokens, and a class of `kit.module.css` for each part of a component. Not in `theme.ts`, which
 * the build imports too, where style sheets cannot be imported.
 */
export const kitTheme = mergeThemeOverrides(theme, {
  components: {
    ActionIcon: { classNames: { root: kit['actionIcon'] } },
    Button: { classNames: { root: kit['button'], section: kit['buttonSection'] } },
    Checkbox: {
      classNames: {
        input: kit['checkboxInput'],
        icon: kit['tickIcon'],
        inner: kit['checkboxInner'],
        label: kit['tickLabel'],
      },
    },
    CheckboxIndicator: { classNames: { indicator: kit['checkboxIndicatorIndicator'] } },
    CloseButton: { classNames: { root: kit['actionIcon'] } },
    Combobox: { classNames: { dropdown: kit['dropdown'], option: kit['comboboxOption'] } },
    Input: { classNames: { input: kit['input'] } },
    InputWrapper: {
      classNames: {
        label: kit['inputWrapperLabel'],
        description: kit['inputWrapperDescription'],
        error: kit['inputWrapperError'],
      },
    },
    Kbd: { classNames: { root: kit['kbd'] } },
    Menu: {
      classNames: {
        dropdown: kit['dropdown'],
        item: kit['menuItem'],
        itemSection: kit['menuItemSection'],
        label: kit['menuLabel'],
        divider: kit['menuDivider'],
      },
    },
    Modal: {
      classNames: {
        content: kit['modalContent'],
        header: kit['modalHeader'],
        title: kit['modalTitle'],
        body: kit['modalBody'],
        overlay: kit['modalOverlay'],
      },
    },
    MultiSelect: { classNames: { input: kit['multiSelectInput'], pill: kit['multiSelectPill'] } },
    Notification: {
      classNames: {
        root: kit['notification'],
        title: kit['notificationTitle'],
        description: kit['notificationDescription'],
      },
    },
    PasswordInput: {
      classNames: {
        innerInput: kit['passwordInputInnerInput'],
        visibilityToggle: kit['passwordInputVisibilityToggle'],
      },
    },
    Popover: { classNames: { dropdown: kit['dropdown'] } },
    Radio: {
      classNames: { radio: kit['radio'], icon: kit['tickIcon'], inner: kit['radioInner'], label: kit['tickLabel'] },
    },
    SegmentedControl: {
      classNames: {
        root: kit['segmentedControl'],
        control: kit['segmentedControlControl'],
        label: kit['segmentedControlLabel'],
        indicator: kit['segmentedControlIndicator'],
      },
    },
    Select: { classNames: { dropdown: kit['dropdown'], option: kit['selectOption'] } },
    Spotlight: {
      classNames: {
        overlay: kit['spotlightOverlay'],
        content: kit['spotlightContent'],
        body: kit['spotlightBody'],
        actionsList: kit['spotlightActionsList'],
        footer: kit['spotlightFooter'],
        actionsGroup: kit['spotlightActionsGroup'],
      },
    },
    Switch: { classNames: { track: kit['switchTrack'], input: kit['switchInput'], label: kit['switchLabel'] } },
    Tabs: { classNames: { list: kit['tabsList'], tab: `tab ${kit['tabsTab']}` } },
    TagsInput: { classNames: { input: kit['tagsInputInput'], pill: kit['tagsInputPill'] } },
    Tooltip: { classNames: { tooltip: kit['tooltip'] } },
  },
});
