// The licences of Go modules, by the files in their folders: a folder a line is read, and a JSON object is written that
// has the SPDX identifiers found in each.
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/licensecheck"
)

// Files in which a module's licence stands.
var names = []string{"license", "licence", "copying", "unlicense"}

func main() {
	found := map[string][]string{}
	folders := bufio.NewScanner(os.Stdin)
	for folders.Scan() {
		licenses, err := of(folders.Text())
		if err != nil {
			log.Fatal(err)
		}
		found[folders.Text()] = licenses
	}
	if err := json.NewEncoder(os.Stdout).Encode(found); err != nil {
		log.Fatal(err)
	}
}

func of(folder string) ([]string, error) {
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	licenses := []string{}
	for _, file := range files {
		lower := strings.ToLower(file.Name())
		if file.IsDir() || !slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(lower, name) }) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, file.Name()))
		if err != nil {
			return nil, err
		}
		for _, match := range licensecheck.Scan(text).Match {
			licenses = append(licenses, match.ID)
		}
	}
	slices.Sort(licenses)
	return slices.Compact(licenses), nil
}
