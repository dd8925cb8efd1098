import DefaultTheme from 'vitepress/theme-without-fonts';
import './sluice.css';

export default DefaultTheme;
