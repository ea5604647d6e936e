/** The accounts without `--accounts`: fictional companies of this project's examples. */
import type { Account } from './accounts.ts';

export const DEFAULT_ACCOUNTS: readonly Account[] = [
  account('Northwind Robotics', 'northwindrobotics.example', 'Industrial automation', 180, 'Hamburg, Germany'),
  account('Kestrel Analytics', 'kestrel-analytics.example', 'Software', 95, 'Lisbon, Portugal'),
  account('Oak & Ember Foods', 'oakandember.example', 'Food production', 1200, 'Lyon, France'),
  account('Meridian Freight', 'meridianfreight.example', 'Logistics', 2300, 'Rotterdam, Netherlands'),
  account('Solara Energi', 'solaraenergi.example', 'Energy', 260, 'Stockholm, Sweden'),
  account('Quillon Software', 'quillon.example', 'Software', 75, 'Berlin, Germany'),
  account('Harborview Hotels', 'harborviewhotels.example', 'Hospitality', 5200, 'Miami, FL'),
  account('Vantage Mobility', 'vantagemobility.example', 'Automotive', 340, 'Leeds, United Kingdom'),
  account('Cobalt Security', 'cobaltsecurity.example', 'Computer security', 150, 'Toronto, Canada'),
  account('Lumen Classroom', 'lumenclassroom.example', 'Education', 31, 'Austin, TX'),
  account('Willowbrook Media', 'willowbrook.example', 'Media', 64, 'Melbourne, Australia'),
  account('Zephyr Drones', 'zephyrdrones.example', 'Aerospace', 45, 'Toulouse, France'),
];

function account(name: string, domain: string, industry: string, employees: number, location: string): Account {
  return { name, domain, industry, employees, location };
}
