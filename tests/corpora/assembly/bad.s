mm rows=
