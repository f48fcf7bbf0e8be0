"""The reference: Doxygen's XML as breathe can show it header by header, and pages of the public headers."""

import pathlib
import re
import xml.etree.ElementTree as ElementTree

SECTIONS = ("briefdescription detaileddescription innerclass func typedef enum var user-defined public-func public-attrib "
            "public-static-func public-static-attrib public-type")


def place_of(element):
    """The header that an element is in."""
    location = element.find("location")
    return location.get("file") if location is not None else None


def move_members(xml, headers):
    """Moves members of namespaces to the headers that declare them: Doxygen writes them by namespace alone."""
    for path in sorted(xml.glob("namespace*.xml")):
        for section in ElementTree.parse(path).getroot().iterfind("compounddef/sectiondef"):
            parts = {}
            for member in section.iterfind("memberdef"):
                header = headers.get(place_of(member))
                if header is None:
                    continue
                if header not in parts:
                    parts[header] = ElementTree.SubElement(header, "sectiondef", section.attrib)
                    parts[header].extend(section.findall("header") + section.findall("description"))
                parts[header].append(member)


def by_header(xml):
    """Rewrites Doxygen's XML so that each header holds what it declares; returns the headers that declare something."""
    trees = {path: ElementTree.parse(path) for path in sorted(xml.glob("*_8[hc]*.xml"))}
    headers, paths = {}, {}
    for path, tree in trees.items():
        compound = tree.getroot().find("compounddef")
        if compound is None or compound.get("kind") != "file":
            continue
        headers[place_of(compound)] = compound
        paths[path.stem] = place_of(compound)
        for namespace in compound.findall("innernamespace"):
            compound.remove(namespace)
        classes = {inner.text for inner in compound.findall("innerclass")}
        for inner in compound.findall("innerclass"):
            # A class within another one is shown there.
            if (inner.text or "").rpartition("::")[0] in classes:
                compound.remove(inner)
    move_members(xml, headers)
    for path, tree in trees.items():
        tree.write(path, encoding="unicode")
    # breathe finds a header by its name in the index, and Doxygen's has no folder.
    index = (xml / "index.xml").read_text(encoding="utf-8")
    index = re.sub(r'(<compound refid="([^"]*)" kind="file"><name>)[^<]*',
                   lambda match: match.group(1) + paths.get(match.group(2), "?"), index)
    (xml / "index.xml").write_text(index, encoding="utf-8")
    return sorted(name for name, compound in headers.items()
                  if compound.find("sectiondef") is not None or compound.find("innerclass") is not None)


def page_of(header):
    """The page of a header: a function's headers are on one, and those of a folder."""
    parts = pathlib.PurePosixPath(header).parts[1:]
    return parts[0] if len(parts) > 1 else parts[0].partition(".")[0]


def write_pages(xml, folder):
    """Writes the pages: a section for each header that declares something public."""
    pages = {}
    for header in by_header(xml):
        pages.setdefault(page_of(header), []).append(header)
    folder.mkdir(parents=True, exist_ok=True)
    for name, headers in pages.items():
        sections = [f"## {header}\n\n```{{doxygenfile}} {header}\n:sections: {SECTIONS}\n```\n" for header in headers]
        (folder / f"{name}.md").write_text(f"# {name}\n\n" + "\n".join(sections), encoding="utf-8")
