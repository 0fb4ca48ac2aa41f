"""What people see and press: lamp tower, buzzer, keys, guided steps."""
