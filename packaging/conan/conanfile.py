"""conan create packaging/conan [-o farpoint/*:shared=True] [-o farpoint/*:cuda=True]"""

import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

required_conan_version = ">=2.0"


class FarpointConan(ConanFile):
    name = "farpoint"
    description = "Point-cloud sampling, voxelization and nearest neighbors on CPU and GPU, identical to the bit"
    license = "Apache-2.0"
    topics = ("point-cloud", "sampling", "voxelization", "knn", "cuda")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False], "cuda": [True, False]}
    # cuda: the compiled library's GPU half. It needs a toolkit on the machine, which Conan does not have.
    default_options = {"shared": False, "fPIC": True, "cuda": False}
    implements = ["auto_shared_fpic"]

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, os.pardir, os.pardir)

    def set_version(self):
        text = load(self, os.path.join(self._root, "include", "farpoint", "core", "config.hpp"))
        self.version = ".".join(re.findall(r"#define FARPOINT_VERSION_\w+ (\d+)", text))

    def export_sources(self):
        for pattern in ("CMakeLists.txt", "LICENSE", "*.md", "package.xml"):
            copy(self, pattern, self._root, self.export_sources_folder, excludes="*/*")
        for folder in ("cmake", "docs", "examples", "include", "packaging", "src"):
            copy(self, "*", os.path.join(self._root, folder), os.path.join(self.export_sources_folder, folder))

    def layout(self):
        cmake_layout(self)

    def validate(self):
        if self.settings.get_safe("compiler.cppstd"):
            check_min_cppstd(self, 17)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["FARPOINT_CUDA"] = bool(self.options.cuda)
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        CMake(self).install()

    def package_info(self):
        # find_package() finds farpoint's own package, with its components; other generators read what follows.
        self.cpp_info.set_property("cmake_find_mode", "none")
        host = self.cpp_info.components["host"]
        host.builddirs = [os.path.join("lib", "cmake", "farpoint")]
        host.set_property("pkg_config_name", "farpoint-host")
        host.libdirs = []
        library = self.cpp_info.components["farpoint"]
        library.set_property("pkg_config_name", "farpoint")
        library.requires = ["host"]
        library.libs = ["farpoint"]
        if self.settings.os in ("Linux", "FreeBSD"):
            host.system_libs = ["pthread"]
        if not self.options.shared:
            library.defines = ["FARPOINT_STATIC"]
            if self.options.cuda:
                library.system_libs = ["cudart_static", "dl", "rt"]
