"""The doctor: checks of the computer, the program and the records of a table.

`facts` reads the state of the computer once, from a root folder; `checks` are functions of these
facts that give findings (`finding`); `report` prints them. Nothing is changed, except that damaged
copies of a journal that no run has open are repaired from intact ones.
"""
