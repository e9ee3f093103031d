"""What a person has chosen, kept from one run to the next. No Qt."""
